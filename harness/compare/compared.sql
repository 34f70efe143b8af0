-- Two results, A and B, as far as they are compared.

-- One row.
CREATE TABLE given(
  margin    REAL,    -- of verdicts; 0.02 is 2 %
  threshold TEXT,    -- the same in words
  most_more INTEGER, -- blocks; beyond, a sentence says "more than"
  refused   TEXT     -- why nothing is compared; or nothing
);

CREATE TABLE side(
  side      TEXT PRIMARY KEY,
  path      TEXT,
  files     INTEGER, -- of nccl-tests
  average   INTEGER, -- their -a
  others    TEXT,    -- options of theirs that are not the usual ones
  unchecked INTEGER, -- 1: their -c 0
  torn      INTEGER, -- 1: the record's last line is cut off; a text of nccl-tests has no end
  failed    INTEGER  -- cells of trials without a time
);

-- What both say of themselves; NULL: not known.
CREATE TABLE fact(
  name TEXT, a TEXT, b TEXT,
  may_lack INTEGER -- 1: a side may not say it
);

-- A setting of a record's variant.
CREATE TABLE setting(side TEXT, variant TEXT, key TEXT, value);

-- A variant without any time.
CREATE TABLE absent(side TEXT, variant TEXT, failed INTEGER, why TEXT);

-- A variant's cell on a side.
CREATE TABLE series(
  id INTEGER,          -- its place on its side
  side TEXT,
  kind TEXT,           -- the same where variant and size alone differ
  variant TEXT,
  counted INTEGER,     -- 0: of the machine's limit
  size INTEGER, asked_bytes INTEGER, -- in bytes
  title TEXT, what TEXT, pace TEXT, collective TEXT, dtype TEXT, op TEXT, root INTEGER,
  in_place INTEGER
);
CREATE INDEX series_of ON series(kind, variant, side, size);

-- The verdict on B, over all sizes of a pair (nth 0) and at each.
CREATE TABLE judged(
  pair INTEGER, nth INTEGER,
  bytes INTEGER, a_us REAL, b_us REAL,  -- of a size; medians over trials
  speed REAL, speed_lo REAL, speed_hi REAL, speed_blocks INTEGER,
  verdict TEXT,
  alone TEXT, words TEXT,               -- the same whatever the machine's limit did; as a sentence
  more_blocks INTEGER,
  detectable REAL, unseen TEXT,         -- the smallest effect that could be seen; in words
  wide REAL, wide_threshold TEXT,       -- the threshold that would decide; as an option has it
  scatters INTEGER,                     -- 1: no number of blocks would
  trials_a INTEGER, trials_b INTEGER
);

-- A cell that both sides have. pair: the first of A's that differ from it in size alone.
CREATE VIEW point AS
SELECT (SELECT min(id) FROM series f
        WHERE f.side = 'A' AND f.kind = a.kind AND f.variant = a.variant) pair,
       a.counted, a.size, a.id a, b.id b
FROM series a JOIN series b USING (kind, variant, size)
WHERE a.side = 'A' AND b.side = 'B';

-- Those that differ in size alone. sizes: of both sides; of_sizes: of either.
CREATE VIEW pair AS
SELECT min(a.id) id, a.*, count(b.id) sizes,
       count(*) - count(b.id) + (SELECT count(*) FROM series o
                                 WHERE o.side = 'B' AND o.kind = a.kind AND o.variant = a.variant)
       of_sizes
FROM series a LEFT JOIN series b ON b.side = 'B' AND b.kind = a.kind AND b.variant = a.variant
                                    AND b.size = a.size
WHERE a.side = 'A' AND NOT EXISTS (SELECT 1 FROM given WHERE refused NOT NULL)
GROUP BY a.kind, a.variant
HAVING count(b.id);
