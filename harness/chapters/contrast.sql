-- Contrasts: two variants in the cells and blocks that both have. Each block gives one number a
-- variant: the mean over cells of the logarithm of a metric, so that the difference of two of them
-- is a log ratio. A cell counts when every variant of the comparison has it at all; a block counts
-- when it holds all of those cells, because a mean over fewer would be another quantity.
--
-- The reference has two trials in a block, its own and its twin's. The other variant is compared
-- with each of them, one trial with one, and both count: the interval is as narrow as that of their
-- mean, and right where noise is skewed. Only if the twin is one of the compared variants, as in
-- the A/A line, each is used separately. Values of a side are means of both.

-- Facts that are numbers.
CREATE VIEW figure AS
SELECT trial, worker, key, CAST(value AS REAL) x
FROM fact
WHERE value GLOB '[0-9]*' AND value NOT GLOB '*[^0-9.]*';

-- A worker of a trial. A worker that registers nothing has that in its communicator.
CREATE VIEW worker_figure AS
SELECT w.trial, w.worker, w.worker / threads process,
       max(x) FILTER (WHERE key = 'init_ns') init_ns,
       max(x) FILTER (WHERE key = 'process_share_bytes') share_bytes,
       max(x) FILTER (WHERE key = 'process_peak_bytes') peak_bytes,
       max(x) FILTER (WHERE key = 'memory_buffers_bytes') buffers,
       max(x) FILTER (WHERE key = 'memory_comm_bytes') communicator,
       max(x) FILTER (WHERE key = 'memory_register_bytes') registration,
       max(x) FILTER (WHERE key = 'memory_calls_bytes') calls
FROM (SELECT DISTINCT trial, worker FROM fact) w JOIN trial t ON t.id = w.trial
JOIN variant v ON v.id = t.variant LEFT JOIN figure f USING (trial, worker)
GROUP BY w.trial, w.worker;

-- What they say of a trial: of all its workers, or of all its processes, any worker of which may
-- say what all of it holds.
CREATE VIEW of_trial(metric, trial, x) AS
SELECT 'init', trial, max(init_ns) / 1e6
FROM worker_figure GROUP BY trial HAVING count(*) = count(init_ns)
UNION ALL
SELECT 'rank_memory', trial, avg(bytes) / 1048576
FROM (SELECT trial, buffers + communicator + calls + coalesce(registration, 0) bytes
      FROM worker_figure)
GROUP BY trial HAVING count(*) = count(bytes)
UNION ALL
SELECT 'memory', trial, sum(bytes) / 1048576
FROM (SELECT trial, avg(share_bytes) bytes FROM worker_figure GROUP BY trial, process)
GROUP BY trial HAVING count(*) = count(bytes);

-- A counter over the ranks of a cell.
CREATE TABLE counter_sum AS
SELECT variant, place, block, c.id cell, ranks, key, iif(n = ranks, x, NULL) x
FROM (SELECT cell, key, sum(value) x, count(value) n FROM counter GROUP BY cell, key)
JOIN cell c ON c.id = cell JOIN trial t ON t.id = c.trial JOIN cell_place USING (cell)
WHERE error IS NULL;

CREATE VIEW of_cell(metric, cell, variant, place, block, x) AS
SELECT iif(key = 'dram_gbs', 'dram', 'nvlink_tx'), cell, variant, place, block, x / ranks
FROM counter_sum WHERE key IN ('dram_gbs', 'nvlink_tx_gbs')
UNION ALL
SELECT iif(a.key = 'dram_gbs', 'dram_per_nvlink', 'copies'), cell, a.variant, a.place, a.block,
       a.x / nullif(b.x, 0)
FROM counter_sum a JOIN counter_sum b USING (cell)
WHERE (a.key, b.key) IN (VALUES ('dram_gbs', 'nvlink_tx_gbs'), ('copied_bytes', 'delivered_bytes'))
UNION ALL
SELECT key, cell, variant, place, block, x FROM counter_sum WHERE key = 'issue_cores';

-- A metric's logarithm in a block. Variant -1 is the reference in both of its trials; again: in the
-- other one, or in that which exists.
CREATE TABLE measured AS
WITH one(metric, variant, place, block, log) AS (
  SELECT 'time', variant, place, block, time FROM level
  UNION ALL SELECT 'latency', variant, place, block, time FROM level
  UNION ALL SELECT 'busbw', variant, place, block, busbw FROM level
  UNION ALL SELECT 'p95', variant, place, block, p95 FROM level
  UNION ALL SELECT 'p99', variant, place, block, p99 FROM level
  UNION ALL SELECT 'launch', variant, place, block, launch FROM level
  UNION ALL SELECT metric, variant, place, block, ln(x)
  FROM level JOIN (SELECT variant, block, min(id) trial FROM trial GROUP BY variant, block)
             USING (variant, block) JOIN of_trial USING (trial)
  UNION ALL SELECT metric, variant, place, block, ln(x)
  FROM of_cell WHERE cell IN (SELECT min(cell) FROM counter_sum GROUP BY variant, place, block)),
both AS (
  SELECT metric, place, block, max(log) FILTER (WHERE role = 'reference') own,
         max(log) FILTER (WHERE role = 'again') other
  FROM one JOIN variant v ON v.id = variant WHERE role IN ('reference', 'again')
  GROUP BY metric, place, block)
SELECT *, log again FROM one WHERE log NOT NULL
UNION ALL
SELECT metric, -1, place, block, coalesce(own, other), coalesce(other, own)
FROM both WHERE coalesce(own, other) NOT NULL;
CREATE INDEX measured_of ON measured(metric, variant, place);

-- The same on so many ranks, and of a collective that differs in nothing else that both have.
CREATE TABLE counterpart AS
SELECT place, ranks, coll_nth, other
FROM (SELECT a.id place, b.ranks, b.coll_nth, b.id other,
             row_number() OVER (PARTITION BY a.id, b.ranks, b.coll_nth ORDER BY b.id) nth
      FROM place a JOIN place b USING (asked_bytes, pace, dtype)
      WHERE a.id <> b.id AND (a.ranks, a.coll_nth) <> (b.ranks, b.coll_nth)
        AND (a.op = b.op OR a.coll <> b.coll AND 'none' IN (a.op, b.op))
        AND (a.root = b.root OR a.coll <> b.coll AND NOT (a.rooted AND b.rooted))
        AND (a.in_place = b.in_place OR a.coll <> b.coll AND NOT (a.may_in_place
                                                                  AND b.may_in_place))
        AND (a.whole AND b.whole OR a.comm_ranks = b.comm_ranks))
WHERE nth = 1
UNION ALL SELECT id, ranks, coll_nth, id FROM place;
CREATE INDEX counterpart_of ON counterpart(place, ranks, coll_nth);

-- The variants of a contrast: 0 is compared, 1 what with, further ones have to have its cells and
-- blocks too. across: of different numbers of ranks, each with its own place; two: the reference is
-- a side, with both trials.
CREATE TABLE asked_side AS
WITH every(asked, side, variant) AS (
  SELECT id, 0, variant FROM asked_contrast UNION ALL SELECT id, 1, against FROM asked_contrast
  UNION
  SELECT a.id, 2 + o.variant, o.variant FROM asked_contrast a JOIN (
    SELECT together, variant FROM asked_contrast UNION SELECT together, against
    FROM asked_contrast) o USING (together)),
of_all AS (
  SELECT asked, side, e.variant, ranks, count(*) OVER w sides,
         max(ranks) FILTER (WHERE side = 0) OVER w own_ranks,
         count(nullif(ranks, 0)) OVER w = count(*) OVER w
         AND min(ranks) OVER w <> max(ranks) OVER w across,
         role = 'reference' AND NOT max(role = 'again') OVER w
         AND EXISTS (SELECT 1 FROM variant WHERE role = 'again') pooled
  FROM every e JOIN variant v ON v.id = e.variant WINDOW w AS (PARTITION BY asked))
SELECT *, iif(pooled, -1, variant) source,
       max(pooled AND side < 2) OVER (PARTITION BY asked) two
FROM of_all;

CREATE INDEX place_of_group ON place(grp);
-- The place of each side, by that of the first one: the base. Of one group, if it is of one.
CREATE TABLE asked_place AS
SELECT a.id asked, side, sides, source, a.metric, m.whole, p.id base, p.asked_bytes, other place
FROM asked_contrast a JOIN metric m ON m.name = a.metric JOIN asked_side s ON s.asked = a.id
JOIN place p ON NOT p.is_limit AND p.asked_bytes BETWEEN a.from_bytes AND a.to_bytes
  AND p.pace = coalesce(a.pace, m.pace, iif(m.name <> 'launch', p.pace, (
                        SELECT min(pace) FROM place))) -- isolated, if there are any
  AND iif(a.coll_nth IS NULL, NOT p.of_step AND p.coll <> 'init', p.coll_nth = a.coll_nth)
  AND p.grp BETWEEN coalesce(a.grp, -1) AND coalesce(a.grp, 1 << 32)
  AND (NOT across OR p.ranks = own_ranks)
LEFT JOIN counterpart c ON c.place = p.id AND c.ranks = iif(across, s.ranks, p.ranks)
  AND c.coll_nth = coalesce(iif(side = 1, against_coll, NULL), p.coll_nth);

CREATE TABLE asked_level AS
SELECT asked, side, sides, whole, base, asked_bytes, block, log, again
FROM asked_place p JOIN measured m ON (m.metric, m.variant, m.place) = (p.metric, source, p.place);

-- Cells that all have; of a whole trial one, as the others say the same.
CREATE TABLE asked_cell AS
SELECT asked, base, asked_bytes, count(*) OVER (PARTITION BY asked) cells
FROM (SELECT *, row_number() OVER (PARTITION BY asked ORDER BY base) nth
      FROM (SELECT asked, base, asked_bytes, whole FROM asked_level
            GROUP BY asked, base HAVING count(DISTINCT side) = max(sides)))
WHERE nth = 1 OR NOT whole;
CREATE INDEX cell_asked ON asked_cell(asked, base);

-- A block that holds them all.
CREATE TABLE contrast_block AS
SELECT asked, block, (own + own_again - other - other_again) / 2 log, own - other first,
       own_again - other_again second, (own + own_again) / 2 own, (other + other_again) / 2 other
FROM (SELECT asked, block, avg(log) FILTER (WHERE side = 0) own,
             avg(again) FILTER (WHERE side = 0) own_again, avg(log) FILTER (WHERE side = 1) other,
             avg(again) FILTER (WHERE side = 1) other_again
      FROM asked_level JOIN asked_cell USING (asked, base)
      GROUP BY asked, block HAVING count(*) = max(sides * cells));
CREATE INDEX block_of_contrast ON contrast_block(asked, block);

-- The ratio of a cell, over the blocks that hold it in both.
CREATE TABLE contrast_cell AS
WITH pair AS (
  SELECT asked, base, l.block, l.log - r.log first, l.again - r.again second
  FROM asked_level l JOIN asked_level r USING (asked, base, block)
  JOIN asked_cell USING (asked, base)
  WHERE l.side = 0 AND r.side = 1 AND cells > 1)
SELECT asked, base, ratio(x, block) ratio, ratio_lo(x, block) lo, ratio_hi(x, block) hi
FROM (SELECT asked, base, block, first x FROM pair UNION ALL
      SELECT asked, base, block, second FROM pair
      WHERE asked IN (SELECT asked FROM asked_side WHERE two))
GROUP BY asked, base;
