-- Several runs of one experiment, A, B …

CREATE TABLE repetition(
  run TEXT PRIMARY KEY,
  path TEXT,
  blocks INTEGER,
  gpus TEXT,           -- their ids
  boot TEXT,           -- of the machine; "" where the record does not say
  doubt TEXT,          -- regimes in which it alone cannot distinguish variants; or nothing
  seed TEXT
);
CREATE VIEW run AS
SELECT r.*, max(value) FILTER (WHERE name = 'experiment') experiment,
       max(value) FILTER (WHERE name = 'backend') backend,
       max(value) FILTER (WHERE name = 'ranks') ranks,
       ifnull(max(value) FILTER (WHERE name = 'measured'), '') measured,
       max(value) FILTER (WHERE name = 'machine') machine,
       ifnull(max(value) FILTER (WHERE name = 'library'), '') library,
       max(value) FILTER (WHERE name = 'program') program
FROM repetition r JOIN stated ON side = run GROUP BY run;

-- A question, and what a run says of it: one without an interval says nothing.
CREATE TABLE said(
  question TEXT,       -- the same for all that ask the same
  kind TEXT,           -- claim, regime, cell: a variant's speed compared with the reference
  run INTEGER,         -- from 0 on
  twin INTEGER,        -- 1: of the reference again, the A/A line
  regime TEXT, variant TEXT,
  what TEXT,           -- the regime's sizes, the cell's collective
  pace TEXT, bytes INTEGER,
  ratio REAL, ratio_lo REAL, ratio_hi REAL, ratio_blocks INTEGER,
  confidence REAL,
  claim TEXT, text TEXT, test TEXT, by REAL, times REAL, is_primary INTEGER -- of a claim
);

CREATE TABLE given(margin REAL, alpha REAL); -- of verdicts, and of a family of claims; one row

-- In what all runs have to agree.
CREATE VIEW trait AS
SELECT run, 1 nth, 'experiment' name, experiment value FROM run UNION ALL
SELECT run, 2, 'backend', backend FROM run UNION ALL
SELECT run, 3, 'ranks', ranks FROM run;

-- Why a run is no repetition of one before it.
CREATE VIEW refused AS
SELECT b.run, a.run before, 0 nth, a.run || ' and ' || b.run || ' are the same run, of ' ||
       a.measured || ': to combine takes runs that were measured apart' why
FROM run a JOIN run b ON a.run < b.run
WHERE a.measured <> '' AND a.measured = b.measured AND a.seed = b.seed
UNION ALL
SELECT b.run, a.run, nth, name || ' is not the same: ' || substr(a.value, 1, 80) || ' in ' || a.run
       || ', ' || substr(b.value, 1, 80) || ' in ' || b.run || '; runs to combine are of one '
       || 'experiment, on one backend and as many ranks'
FROM trait a JOIN trait b USING (nth, name)
WHERE a.run < b.run AND a.value <> b.value
ORDER BY 1, 2, 3;
