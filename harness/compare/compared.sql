-- Two results, A and B, as far as they are compared.

-- One row.
CREATE TABLE given(
  margin    REAL,    -- of verdicts; 0.02 is 2 %
  threshold TEXT,    -- the same in words
  most_more INTEGER, -- blocks; beyond, a sentence says "more than"
  refused   TEXT     -- why nothing is compared; or nothing
);

CREATE TABLE result(
  side      TEXT PRIMARY KEY,
  path      TEXT,
  knows     INTEGER, -- 1: NCCL's variables are known
  files     INTEGER, -- of nccl-tests
  torn      INTEGER, -- 1: the record's last line is cut off; a text of nccl-tests has no end
  failed    INTEGER  -- cells of trials without a time
);

-- A setting of a record's variant.
CREATE TABLE setting(side TEXT, variant TEXT, key TEXT, value);

-- A variant without any time.
CREATE TABLE absent(side TEXT, variant TEXT, failed INTEGER, why TEXT);

-- A variant's cell on a side.
CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  side TEXT,
  kind TEXT,           -- the same where variant and size alone differ
  variant TEXT,
  counted INTEGER,     -- 0: of the machine's limit
  size INTEGER, asked_bytes INTEGER, -- in bytes
  title TEXT, what TEXT, pace TEXT, collective TEXT, dtype TEXT, op TEXT, root INTEGER,
  in_place INTEGER,
  pair INTEGER,        -- its root, or the two ranks that it is between
  UNIQUE(kind, variant, side, size) ON CONFLICT IGNORE
);

-- A time of it: one a trial; of nccl-tests' -N cycles several.
CREATE TABLE time(side TEXT, kind TEXT, variant TEXT, size INTEGER, block INTEGER, us REAL);

-- JSON of nccl-tests, while it is read (nccl_tests.sql).
CREATE TABLE nccl_file(side TEXT, variant TEXT, most_ranks INTEGER, doc TEXT);
CREATE TABLE nccl_collective(id INTEGER, name TEXT, UNIQUE(id) ON CONFLICT IGNORE);

-- Options of nccl-tests that distinguish measurements: the name in its JSON's "config"; what holds
-- without it; how with it calls are not simply back to back.
CREATE VIEW nccl_known(nth, letter, long, config, usual, manner) AS
VALUES (0, 'a', 'average', NULL, 1, ''), (1, 'R', 'local_register', NULL, 0, ''),
       (2, 'x', 'cta_policy', NULL, -1, ''), (3, 'u', 'unalign', 'unalign', 0, ''),
       (4, 'n', 'iters', 'iterations', 20, ''),
       (5, 'm', 'agg_iters', 'aggregated_iterations', 1, ' -m (calls grouped)'),
       (6, 'G', 'cudagraph', 'graph', 0, ' -G (graphs)'),
       (7, 'z', 'blocking', 'blocking_collectives', 0, ' -z (blocking)'),
       (8, 'I', 'per_iter_timing', 'per_iter_timing', 0, ' -I'),
       (9, 'y', 'stream_null', NULL, 0, ''), (10, 'D', 'device_implementation', NULL, 0, ''),
       (11, 'V', 'device_cta_count', NULL, 16, ''),
       (12, 'w', 'warmup_iters', 'warmup_iters', 1, '');

-- Each file that was read.
CREATE TABLE nccl_run(
  side TEXT, variant TEXT, layout TEXT,
  average INTEGER,   -- its -a
  manner TEXT,       -- options by which its calls are not simply back to back, or ""
  others TEXT,       -- its -R, -x, -u, -n, -w … that differ from the defaults
  unchecked INTEGER  -- 1: its -c 0
);

CREATE VIEW side AS
SELECT r.*, ifnull(average, 0) average, ifnull(manner, '') manner, ifnull(others, '') others,
       ifnull(unchecked, 0) unchecked
FROM result r LEFT JOIN (SELECT side, average, manner, others, max(unchecked) unchecked
                         FROM nccl_run GROUP BY side) USING (side);

-- The verdict on B, over all sizes of a pair (nth 0) and at each.
CREATE TABLE judged(
  pair INTEGER, nth INTEGER,
  bytes INTEGER, a_us REAL, b_us REAL,  -- of a size; medians over trials
  speed REAL, speed_lo REAL, speed_hi REAL, speed_blocks INTEGER,
  verdict TEXT,
  alone TEXT, words TEXT,               -- the same whatever the machine's limit did; as a sentence
  more_blocks INTEGER,
  detectable REAL,                      -- the smallest effect that could be seen
  wide REAL,                            -- the threshold that would decide
  scatters INTEGER,                     -- 1: no number of blocks would
  trials_a INTEGER, trials_b INTEGER
);

-- A cell that both sides have. pair: the first of A's that differ from it in size alone.
CREATE VIEW point AS
SELECT (SELECT min(id) FROM series f
        WHERE f.side = 'A' AND f.kind = a.kind AND f.variant = a.variant) pair,
       kind, variant, a.counted, a.size, a.asked_bytes, a.id a, b.id b
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

-- What a side's cells have of each key that both have to agree in.
CREATE VIEW key AS
SELECT side, id, size, 1 key, 'variant is' name, variant value FROM series WHERE counted UNION ALL
SELECT side, id, size, 2, 'collective is', collective FROM series WHERE counted UNION ALL
SELECT side, id, size, 3, 'dtype is', dtype FROM series WHERE counted UNION ALL
SELECT side, id, size, 4, 'op is', ifnull(op, 'none') FROM series WHERE counted UNION ALL
SELECT side, id, size, 5, 'root is', CAST(pair AS TEXT) FROM series WHERE counted UNION ALL
SELECT side, id, size, 6, 'in_place is', iif(in_place, 'yes', 'no') FROM series
WHERE counted UNION ALL
SELECT side, id, size, 7, 'pace is', pace FROM series WHERE counted UNION ALL
SELECT side, id, size, 8, 'size is', size(asked_bytes) FROM series WHERE counted;

-- All values of a key that has none on both sides; of many sizes the smallest and the largest.
CREATE VIEW apart AS
SELECT side, key, name,
       iif(key = 8 AND length(group_concat(value, ', ')) >= 48,
           min(value) FILTER (WHERE nth = 1) || ' to ' || min(value) FILTER (WHERE back = 1),
           substr(group_concat(value, ', '), 1, 159)) vals
FROM (SELECT *, row_number() OVER (PARTITION BY side, key ORDER BY size) nth,
             row_number() OVER (PARTITION BY side, key ORDER BY size DESC) back
      FROM (SELECT side, key, name, value, min(id) id, min(size) size FROM key
            GROUP BY side, key, value)
      ORDER BY id)
WHERE key NOT IN (SELECT a.key FROM key a JOIN key b USING (key, value)
                  WHERE a.side = 'A' AND b.side = 'B')
GROUP BY side, key;

-- Their time in a trial of a side: its logarithm, of the median over cycles.
CREATE VIEW log AS
WITH trial AS MATERIALIZED (SELECT side, kind, variant, size, block, ln(median(us)) x FROM time
                            GROUP BY side, kind, variant, size, block),
     numbered AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY pair ORDER BY size) nth,
                                      count(*) OVER (PARTITION BY pair) sizes FROM point),
     one AS MATERIALIZED (SELECT n.*, side, block, x FROM numbered n JOIN trial t
                          USING (kind, variant, size))
SELECT pair, counted, nth, asked_bytes, side, block, x FROM one
UNION ALL
SELECT pair, counted, 0, 0, side, block, avg(x) FROM one
GROUP BY pair, side, block HAVING count(*) = max(sizes);

-- Of NCCL's variables those that differ, so that no long list is cut before them; first A's.
CREATE VIEW unlike_variable AS
SELECT s.side, min(v.rowid) nth, v.name || ifnull('=' || own.value, ' not set') text
FROM side s JOIN variable v LEFT JOIN variable own ON own.side = s.side AND own.name = v.name
GROUP BY s.side, v.name HAVING count(*) < 2 OR min(v.value) <> max(v.value);

-- What both say of themselves; NULL: not known. may_lack: 1: a side may not say it.
CREATE VIEW fact AS
SELECT nth, fact_name.name, ifnull(a.value, '') a, ifnull(b.value, '') b, nth > 6 may_lack
FROM fact_name LEFT JOIN stated a ON a.name = fact_name.name AND a.side = 'A'
LEFT JOIN stated b ON b.name = fact_name.name AND b.side = 'B'
UNION ALL
SELECT 99, 'NCCL variables', max(iif(side = 'A', text, NULL)), max(iif(side = 'B', text, NULL)), 1
FROM (SELECT side, iif(knows, ifnull(iif((SELECT min(knows) FROM side),
               (SELECT substr(group_concat(text, ', '), 1, 95)
                FROM (SELECT * FROM unlike_variable u WHERE u.side = s.side ORDER BY nth)),
               NULL), ''), NULL) text FROM side s);

-- Why they are not compared: calls of other kinds, or no cell that both have but the limit's.
CREATE VIEW refused AS
WITH key_apart AS (SELECT a.name || ' ' || a.vals || ' in A, ' || b.vals || ' in B' text,
                          key = 1 variant
                   FROM apart a JOIN apart b USING (key)
                   WHERE a.side = 'A' AND b.side = 'B' ORDER BY key)
SELECT 'not the same kind of call: nccl-tests'' options are ''' || a.manner || ''' in A and '''
       || b.manner || ''' in B, and calls back to back have none of -m, -z, -G, -I' why
FROM side a JOIN side b ON a.side = 'A' AND b.side = 'B' WHERE a.manner <> b.manner
UNION ALL
SELECT 'no cell in common: ' || ifnull(
         group_concat(text, '; ') || iif(max(variant) AND (SELECT sum(files) FROM side),
                                         ' (--variant NAME names nccl-tests'' files)', ''),
         CASE WHEN NOT EXISTS (SELECT 1 FROM series WHERE side = 'A')
              THEN 'A has no time of any variant'
              WHEN NOT EXISTS (SELECT 1 FROM series WHERE side = 'B')
              THEN 'B has no time of any variant'
              ELSE 'variant, collective and size are not the same in any' END) ||
       ifnull((SELECT '; ranks: ' || a || ' in A, ' || b || ' in B' FROM fact
               WHERE name = 'ranks' AND a <> b), '')
FROM key_apart
HAVING NOT EXISTS (SELECT 1 FROM judged j JOIN series ON id = j.pair WHERE counted);
