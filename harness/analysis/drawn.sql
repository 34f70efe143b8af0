-- What pictures show. All that were measured, except the limit, which has its own line; if these
-- are more than 12, and the experiment asks about a gap: the reference and its twin, the ends of
-- the gap, and of each mode the first.

-- A variant that may be drawn. first: of its mode; gap_end: 1: of the gap; NULL: none is asked for.
CREATE VIEW drawable AS
WITH may AS (SELECT v.id, v.name, v.role, v.mode FROM known k JOIN variant v ON v.id = k.variant
             WHERE measured AND v.role <> 'limit' AND NOT other_ranks),
     gap AS (SELECT f.value from_name, t.value to_name FROM environment f, environment t
             WHERE f.key = 'gap.from' AND t.key = 'gap.to')
SELECT may.*, row_number() OVER (PARTITION BY mode ORDER BY id) = 1 first,
       (SELECT name IN (from_name, to_name) FROM gap) gap_end, count(*) OVER () of
FROM may;

-- In the order of pictures, from 1 on: the reference, of each mode the first, the ends of the gap,
-- others as the experiment has them, the twin last. main: what the experiment is about, and others
-- up to a panel's five lines. bare: its name without its mode.
CREATE VIEW drawn_variant AS
WITH placed AS (
  SELECT *, row_number() OVER (ORDER BY place, id) at, sum(place < 3) OVER () about
  FROM (SELECT *, CASE WHEN role = 'reference' THEN 0 WHEN role = 'again' THEN 4 WHEN first THEN 1
                       WHEN gap_end THEN 2 ELSE 3 END place
        FROM drawable
        WHERE gap_end IS NULL OR of <= 12 OR role <> 'variant' OR gap_end OR first))
SELECT id variant, name, role, mode, at, place < 3 OR place = 3 AND at <= max(5, about) main,
       iif(mode <> '' AND instr(name, mode),
           substr(name, 1, instr(name, mode) - 1) ||
           substr(name, instr(name, mode) + length(mode)), name) bare
FROM placed;
UPDATE known SET pictured = d.at, drawn = iif(main, d.at - 1, NULL)
FROM drawn_variant d WHERE d.variant = known.variant;

-- The groups of places that pictures are made of, in their order: the limit's is in those of the
-- others, and pairs have their own pictures.
CREATE VIEW drawn_group AS
SELECT grp, row_number() OVER (ORDER BY grp) nth, what, pace, p.ranks, sizes, max(asked_bytes) most
FROM place p JOIN given g LEFT JOIN variant r ON r.name = reference
WHERE NOT is_limit AND sender IS NULL AND p.ranks = coalesce(nullif(r.ranks, 0), p.ranks)
GROUP BY grp;

-- One row. each, detail: of more collectives none has its own pictures; no details.
CREATE VIEW drawn AS
SELECT (SELECT count(DISTINCT what) FROM drawn_group) collectives, 15 "each", 4 detail, curves,
       (SELECT count(*) FROM drawable) - curves left_out
FROM (SELECT count(*) curves FROM drawn_variant);

-- 95 % of a variant's calls of the smallest size take at most so long. Over all calls, as the
-- picture has them: blocks scatter, and the median of each block's p95 would be off the curve.
CREATE TABLE tail AS
SELECT grp, variant, quantile(value / 1000, 0.95) us
FROM drawn, drawn_group JOIN place p USING (grp) JOIN cell_place ON place = p.id
JOIN cell c ON c.id = cell JOIN trial t ON t.id = trial JOIN known USING (variant),
     json_each(calls(c.id))
WHERE collectives <= "each" AND p.nth = 1 AND drawn NOT NULL AND pass = 'timed' AND error IS NULL
GROUP BY grp, variant;

-- The call of a variant with the median length, at the smallest size of a collective: of the
-- pass with the device's stamps if there is one, else of the isolated calls.
CREATE TABLE median_call AS
WITH single AS (SELECT c.*, variant, max(pass) OVER (PARTITION BY coll_nth) best
                FROM cell c JOIN trial t ON t.id = trial
                WHERE error IS NULL AND pass IN ('timed', 'timeline') AND calls = 1
                      AND pace = 'isolated'),
     small AS (SELECT *, min(bytes) OVER (PARTITION BY coll_nth) least FROM single
               WHERE pass = best),
     one AS (SELECT small.*, small.id cell, r.key AS row, count(*) OVER own n,
                    row_number() OVER (own ORDER BY r.value, small.id, r.key) nth
             FROM small, json_each(calls(small.id)) r
             WHERE bytes = least
             WINDOW own AS (PARTITION BY coll_nth, variant))
SELECT coll_nth, coll, variant, cell, row, pass, ranks, bytes FROM one WHERE nth = (n + 1) / 2;

-- A rank's stamps of it, µs from the first start on. clock_us: how far the device's may be off.
CREATE VIEW median_stamp AS
SELECT m.*, s.key rank, (s.value ->> 0) / 1e3 start_us, (s.value ->> 1) / 1e3 issued_us,
       (s.value ->> 2) / 1e3 idle_us, (s.value ->> 3) / 1e3 device_start_us,
       (s.value ->> 4) / 1e3 device_end_us, (s.value ->> 5) / 1e3 clock_us
FROM median_call m, json_each(stamps(cell, row)) s;

-- Of a drawn variant the call that the timeline of a collective shows. device: 1: it has the
-- device's stamps, which seem to begin before_us earlier; total_us: to the latest end; launch_us:
-- until issue has returned on all ranks.
CREATE VIEW call_line AS
SELECT s.coll_nth coll, variant, s.ranks, s.bytes, pass,
       coalesce(what, s.coll) what, max(device_end_us) NOT NULL device,
       max(max(idle_us), coalesce(max(device_end_us), 0)) total_us,
       max(0, -coalesce(min(device_start_us), 0)) before_us, max(clock_us) residual_us,
       max(0, max(issued_us)) launch_us
FROM median_stamp s JOIN known USING (variant) LEFT JOIN cell_place USING (cell)
LEFT JOIN place p ON p.id = place
WHERE drawn NOT NULL
GROUP BY s.coll_nth, variant;
