-- Results: of a variant at a place one number a block, and the medians of these. Cells of another
-- pass than the timed one are in none.

INSERT INTO phase SELECT part, seconds FROM spent_part ORDER BY nth;
DROP VIEW spent_part;

-- What a block takes: the mean step from trial to trial of a block, in one session, times its
-- trials; of jobs in turns, whose lines are written at once, that from block to block.
UPDATE went SET block_s = block_trials * (
  SELECT 1.0 * sum(written_s - before_s) / sum(ord - before)
  FROM (SELECT *, lag(block) OVER t at, lag(ord) OVER t before, lag(last_s) OVER t before_s
        FROM trial WINDOW t AS (ORDER BY id))
  WHERE block = at AND before < ord AND before_s > 0 AND written_s >= before_s
    AND NOT EXISTS (SELECT 1 FROM session s WHERE ord >= first_block * trials + begun
                    AND before < first_block * trials + begun));
UPDATE went SET block_s = (
  SELECT avg(last_s - before_s)
  FROM (SELECT block, max(last_s) last_s, lag(block) OVER b at, lag(max(last_s)) OVER b before_s
        FROM trial GROUP BY block WINDOW b AS (ORDER BY block))
  WHERE before_s > 0 AND block = at + 1
    AND block NOT IN (SELECT first_block FROM session))
WHERE EXISTS (SELECT 1 FROM environment WHERE key = 'turns');

-- The trials of a block should be close in time: only then do they share the machine's state. One
-- that a session began and a later one completed holds a pause.
UPDATE session SET pause_s = (
  SELECT nullif(min(written_s) FILTER (WHERE ord >= first_block * trials + session.begun), 0)
         - nullif(max(last_s) FILTER (WHERE ord < first_block * trials + session.begun), 0)
  FROM (SELECT block, ord, nullif(written_s, 0) written_s, last_s FROM trial
        UNION ALL SELECT block, ord, nullif(written_s, 0), written_s FROM failure)
  WHERE block = first_block)
WHERE begun;
UPDATE session SET far = NOT ifnull(pause_s <= (SELECT block_s FROM went), 0) WHERE begun;

-- A trial that measures its cells several times has their mean: over connections and allocations
-- the geometric one, as they differ by factors, as jobs do. A time below the clock's step is none.
-- Of a p99 the first connection may alone have enough calls.
CREATE TABLE block_time AS
WITH timed AS (
  SELECT variant, place, block, c.*, w.*, connection + allocation nested
  FROM cell_place p JOIN cell c ON c.id = p.cell JOIN trial t ON t.id = trial
  JOIN cell_rows w ON w.cell = c.id WHERE time_ns > 0)
SELECT variant, place, block, min(id) cell, early, step_ns,
       mean(time_ns, nested) time_ns, mean(p95_ns, nested) p95_ns,
       mean(p99_ns, nested) FILTER (WHERE p99_ns NOT NULL) p99_ns,
       mean(launch_ns, nested) launch_ns, mean(skew_ns, nested) skew_ns,
       mean(poll_ns, nested) poll_ns, mean(rank0_ns, nested) rank0_ns,
       mean(mean_ns, nested) mean_ns, mean(min_ns, nested) min_ns, mean(max_ns, nested) max_ns
FROM timed GROUP BY variant, place, block;

-- What is added up over a row's cells, those that failed left out.
CREATE VIEW cells_of_result AS
SELECT variant, place, min(c.id) first, sum(error NOT NULL OR NOT ifnull(time_ns > 0, 0)) failed,
       max(checked) FILTER (WHERE error IS NULL) data,
       coalesce(sum(wrong) FILTER (WHERE error IS NULL), 0) wrong,
       coalesce(sum(faults) FILTER (WHERE error IS NULL), 0) faults,
       coalesce(sum(switches) FILTER (WHERE error IS NULL), 0) switches,
       coalesce(sum(calls * rows) FILTER (WHERE error IS NULL), 0) timed_calls,
       sum(time_ns * 1e-9 * calls * rows * c.ranks) watched_s
FROM cell_place p JOIN cell c ON c.id = cell JOIN trial t ON t.id = trial
WHERE pass = 'timed' GROUP BY variant, place;
CREATE VIEW medians_of_result AS
SELECT variant, place, count(*) blocks, count(*) > 1 several, median(time_ns) / 1000 time_us,
       quantile(time_ns, 0.25) / 1000 lower_us, quantile(time_ns, 0.75) / 1000 upper_us,
       median(rank0_ns) / 1000 rank0_us, median(mean_ns) / 1000 mean_us,
       median(min_ns) / 1000 min_us, median(max_ns) / 1000 max_us,
       median(launch_ns) / 1000 launch_us, median(launch_ns, 0.95, 'lo') / 1000 launch_us_lo,
       median(launch_ns, 0.95, 'hi') / 1000 launch_us_hi, median(skew_ns) / 1000 skew_us,
       median(poll_ns) / 1000 poll_us, max(step_ns) / 1000 step_us,
       iif(count(early) >= (SELECT least_blocks FROM given)
           AND sign_test(sum(early > 1), count(early)) < 0.02, median(early), NULL) early
FROM block_time GROUP BY variant, place;
-- Of isolated calls alone.
CREATE VIEW tails_of_result AS
SELECT variant, place, median(time_ns) / 1000 p50_us, median(p95_ns) / 1000 p95_us,
       median(p95_ns, 0.95, 'lo') / 1000 p95_us_lo, median(p95_ns, 0.95, 'hi') / 1000 p95_us_hi,
       median(p99_ns) / 1000 p99_us, median(p99_ns, 0.95, 'lo') / 1000 p99_us_lo,
       median(p99_ns, 0.95, 'hi') / 1000 p99_us_hi
FROM block_time JOIN place p ON p.id = place WHERE pace = 'isolated' GROUP BY variant, place;

-- Nothing if no data is carried.
CREATE VIEW bandwidth_of_result AS
SELECT variant, place, iif(data, counted_bytes, NULL) counted_bytes, bus_factor
FROM cells_of_result JOIN place p ON p.id = place;
INSERT INTO result
SELECT c.variant, c.place, coalesce(blocks, 0), failed, time_us, iif(several, lower_us, NULL),
       iif(several, upper_us, NULL), rank0_us, mean_us, min_us, max_us, algbw, algbw * bus_factor,
       iif(several, algbw * bus_factor * time_us / upper_us, NULL),
       iif(several, algbw * bus_factor * time_us / lower_us, NULL), p50_us, p95_us, p95_us_lo,
       p95_us_hi, p99_us, p99_us_lo, p99_us_hi, launch_us, launch_us_lo, launch_us_hi, skew_us,
       poll_us, NULL, NULL, NULL, 0, NULL, iif(data, wrong, NULL), faults, switches, NULL, NULL,
       NULL, NULL, timed_calls, switches >= 10 AND switches > 50 * ifnull(watched_s, 0),
       time_us * (SELECT calls FROM cell WHERE id = first), coalesce(step_us, 0), early
FROM cells_of_result c
LEFT JOIN (SELECT *, counted_bytes / (time_us / 1e6) / 1e9 algbw
           FROM medians_of_result JOIN bandwidth_of_result USING (variant, place))
  USING (variant, place) LEFT JOIN tails_of_result USING (variant, place);

INSERT INTO level
SELECT variant, place, block, ln(time_ns),
       ln(counted_bytes / (time_ns * 1e-9) / 1e9 * bus_factor), time_ns / 1e3, ln(p95_ns),
       ln(p99_ns), ln(launch_ns)
FROM block_time JOIN bandwidth_of_result USING (variant, place);

-- The rank that ends last most often.
UPDATE result SET straggler = s.rank, straggler_share = s.last, straggler_us = s.last_by_us
FROM (SELECT *, row_number() OVER (PARTITION BY variant, place ORDER BY last DESC, rank) nth,
             count(*) OVER (PARTITION BY variant, place) of FROM result_rank) s
WHERE nth = 1 AND of > 1 AND (s.variant, s.place) = (result.variant, result.place);

-- What plain copies reach. The limit of a size is that, their best if they were not measured there;
-- none if anything exceeds it by more than the margin. (A reduction can be computed on the way, so
-- that its bus bandwidth is not that of a link.)
CREATE VIEW copied AS
SELECT bytes, busbw_gbs FROM result JOIN place ON place.id = place JOIN variant v ON v.id = variant
WHERE role = 'limit' AND busbw_gbs NOT NULL;
CREATE VIEW copied_at AS
SELECT bytes, coalesce((SELECT busbw_gbs FROM copied c WHERE c.bytes = p.bytes LIMIT 1),
                       (SELECT max(busbw_gbs) FROM copied)) copies_gbs
FROM place p GROUP BY bytes;
UPDATE result SET limit_gbs = copies_gbs
FROM copied_at l JOIN place p USING (bytes), given
WHERE p.id = result.place AND NOT EXISTS (
  SELECT 1 FROM result o JOIN place q ON q.id = o.place JOIN variant v ON v.id = o.variant
  WHERE q.bytes = l.bytes AND role NOT IN ('limit', 'again') AND q.op = 'none'
        AND o.busbw_gbs > copies_gbs * (1 + margin));

-- The library's version and the data path, as the first worker of a trial said.
CREATE VIEW said_first AS
SELECT variant, key, value, row_number() OVER (PARTITION BY variant, key ORDER BY trial) nth
FROM fact JOIN trial t ON t.id = trial
WHERE worker = 0 AND key IN ('library', 'path') AND typeof(value) = 'text' AND value <> ''
  AND EXISTS (SELECT 1 FROM cell c WHERE c.trial = t.id AND pass = 'timed');
UPDATE known SET
measured = EXISTS (SELECT 1 FROM result r WHERE r.variant = known.variant AND blocks),
library = coalesce((SELECT value FROM said_first s
                    WHERE (s.variant, key, nth) = (known.variant, 'library', 1)), ''),
said_path = coalesce((SELECT value FROM said_first s
                      WHERE (s.variant, key, nth) = (known.variant, 'path', 1)), ''),
other_ranks = coalesce((SELECT v.ranks <> r.ranks AND v.ranks AND r.ranks FROM variant v, variant r
                        WHERE v.id = known.variant AND r.role = 'reference'), 0),
asked = (SELECT role IN ('variant', 'reference') FROM variant v WHERE v.id = known.variant);

-- A block is whole if each variant has a trial in it; one that failed in at least the last two was
-- given up, and no block waits for it. begun: 1: the last one was cut off.
CREATE VIEW whole_block AS
WITH listed AS (SELECT block, row_number() OVER (ORDER BY block) - 1 nth, count(*) OVER () of
                FROM (SELECT DISTINCT block FROM cell JOIN trial t ON t.id = trial)),
     kept AS (SELECT block, nth, of - (begun > 0) of FROM listed, went
              WHERE nth < of - (begun > 0)),
     had AS (SELECT DISTINCT variant, nth FROM level JOIN kept USING (block)),
     ends AS (SELECT variant, max(nth) + 1 until FROM had GROUP BY variant)
SELECT block FROM kept k
WHERE EXISTS (SELECT 1 FROM result WHERE blocks) AND NOT EXISTS (
  SELECT 1 FROM ends e WHERE NOT (k.nth >= until AND until + 1 < k.of)
  AND (e.variant, k.nth) NOT IN (SELECT variant, nth FROM had));

UPDATE given SET
blocks = (SELECT count(*) FROM whole_block),
measured = EXISTS (SELECT 1 FROM result WHERE blocks),
data = coalesce((SELECT max(data) FROM cells_of_result), 0),
has_isolated = EXISTS (SELECT 1 FROM place WHERE pace = 'isolated' AND NOT is_limit),
uncompared = coalesce(iif(trouble NOT NULL, 'the variants did not do the same work', NULL), (
  SELECT value || ' ranks share a GPU in ' || name || ', where their kernels take turns'
  FROM setting s JOIN known k USING (variant) JOIN variant v ON v.id = s.variant
  WHERE key = 'ranks_per_gpu' AND value > 1 AND k.measured ORDER BY s.variant LIMIT 1));
UPDATE given SET
few_groups = measured AND ngroups <= 30, -- more are in the files alone
compared = uncompared IS NULL AND reference NOT NULL,
(isolated_calls, least_calls) = (
  SELECT coalesce(isolated_calls, max(n), 0), coalesce(isolated_calls, min(n), 0)
  FROM (SELECT rows + off_rows n FROM cell WHERE error IS NULL AND pass = 'timed'
        AND pace = 'isolated' AND coll <> 'init'));
UPDATE known SET compared = (
  SELECT known.measured AND g.compared AND role <> 'limit' AND name <> reference
  FROM given g, variant v WHERE v.id = known.variant);
UPDATE look SET blocks = (SELECT blocks FROM given);

-- The command for the blocks that are missing: for all that were asked for, and as many as a
-- verdict needs.
UPDATE went SET go_on = (
  SELECT 'To go on' || CASE
           WHEN left_s >= 120 THEN printf(' (about %.2g min)', left_s / 60)
           WHEN left_s > 0 THEN printf(' (about %.0f s)', ceil(left_s)) ELSE '' END
         || ': launchgap resume ' || shell_word(iif(folder <> '', folder, 'DIR'))
         || iif(few AND NOT searched, ' blocks=' || (wanted - blocks), '')
  FROM (SELECT *, block_s * (wanted - blocks - 1.0 * begun / block_trials) left_s
        FROM (SELECT *, asked AND asked < least_blocks few,
                     iif(asked >= least_blocks, asked, least_blocks) wanted FROM given)));
