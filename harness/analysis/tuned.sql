-- What a search measured, by its own tables alone (run/tuned.c).

-- A trial of a variant in a block that has any place: at each its time against the default's, of
-- its two trials or the one that exists, as a logarithm; nothing where one of them has none.
CREATE VIEW searched_gain AS
WITH placed AS (
  SELECT c.id, variant, block, time_ns,
         dense_rank() OVER (ORDER BY coll_nth, pace = 'isolated', dtype_nth,
                            instr('sum prod min max avg premulsum none', op), in_place, root,
                            comm_ranks, c.ranks, bytes) - 1 place
  FROM cell c JOIN trial t ON t.id = trial WHERE pass = 'timed'),
timed AS (
  SELECT variant, block, place, ln(time_ns) x,
         row_number() OVER (PARTITION BY variant, block, place ORDER BY id) nth
  FROM placed WHERE time_ns > 0),
usual AS (
  SELECT block, place, avg(x) x FROM timed JOIN variant v ON v.id = variant
  WHERE nth = 1 AND role IN ('reference', 'again') GROUP BY block, place),
gain AS (SELECT variant, block, place, u.x - t.x gain
         FROM timed t JOIN usual u USING (block, place) WHERE nth = 1)
SELECT variant, block, place, gain, (SELECT max(place) + 1 FROM placed) places
FROM (SELECT DISTINCT variant, block FROM gain) JOIN (SELECT DISTINCT place FROM placed)
LEFT JOIN gain USING (variant, block, place);

-- bad: 1: left out, a job that failed, wrong data, or a cell without a time: measured no more.
-- memory: the GPU's, beside the buffers, of the first worker, the median over trials.
CREATE VIEW searched_variant AS
SELECT v.id variant,
       skip NOT NULL OR EXISTS (SELECT 1 FROM failure WHERE variant = v.id) OR EXISTS (
         SELECT 1 FROM cell c JOIN trial t ON t.id = trial
         WHERE variant = v.id AND pass = 'timed'
               AND (error NOT NULL OR wrong > 0 OR NOT ifnull(time_ns > 0, 0))) bad,
       (SELECT median(a.value + b.value)
        FROM trial t JOIN fact a ON a.trial = t.id JOIN fact b ON b.trial = t.id
        WHERE variant = v.id AND a.worker = 0 AND b.worker = 0 AND a.key = 'memory_comm_bytes'
              AND b.key = 'memory_calls_bytes') memory
FROM variant v;
