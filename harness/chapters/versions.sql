-- Threads and processes by version of the library: variants that are the reference but for mode and
-- library. A version without both is left out, because a pair with other settings would answer
-- another question.

-- All that could represent a mode on a version; file: the library's; taken: it was measured.
CREATE TABLE like_reference AS
SELECT k.variant, name, skip, k.measured, nullif(library, '') version,
       coalesce(file.value, '') file, like_reference same_settings,
       k.measured AND library <> '' taken,
       CASE WHEN processes > 1 THEN 'processes' WHEN threads > 1 THEN 'threads'
            WHEN processes * threads THEN 'single' END mode
FROM known k JOIN variant v ON v.id = k.variant JOIN given
LEFT JOIN setting file ON file.variant = v.id AND file.key = 'nccl'
WHERE asked AND data AND uncompared IS NULL;

-- Of two files of a version the one that comes first and has both modes.
CREATE TABLE picked AS
SELECT version, version(version) number, file, min(variant) first
FROM like_reference WHERE same_settings AND taken
GROUP BY version, file
HAVING max(mode = 'threads') AND max(mode = 'processes');
DELETE FROM picked
WHERE EXISTS (SELECT 1 FROM picked p WHERE p.version = picked.version AND p.first < picked.first);

-- nth: of the versions, from 1; one alone is not compared. single: of all versions or of none.
CREATE TABLE picked_variant AS
SELECT dense_rank() OVER (ORDER BY number) nth, version, mode, min(variant) variant
FROM picked JOIN like_reference USING (version, file)
WHERE same_settings AND taken AND (SELECT count(*) FROM picked) > 1
GROUP BY version, mode;
DELETE FROM picked_variant
WHERE mode = 'single' AND (SELECT count(*) FROM picked_variant WHERE mode = 'single')
                          < (SELECT count(*) FROM picked);

-- What runs on another version than the reference, and that version's own: the reference's mode.
CREATE TABLE own_reference AS
SELECT k.variant, o.variant own
FROM known k JOIN picked_variant o ON o.version = k.library JOIN picked_variant r USING (mode)
JOIN variant v ON v.id = r.variant
WHERE k.measured AND k.asked AND role = 'reference' AND o.version <> r.version;
INSERT INTO asked_contrast(finding, part, variant, against, metric, pace, coll_nth, grp, from_bytes,
                           to_bytes)
SELECT 'own', id, variant, own, 'time', pace, coll_nth, grp, asked_bytes, asked_bytes
FROM place, own_reference
WHERE judged AND variant <> own;

-- Why a version has no such mode: none was asked, or what became of the last one that was.
CREATE VIEW version_lacks AS
SELECT n.version, n.mode,
       CASE WHEN v.variant IS NULL THEN 'no variant of ' || n.mode || ' is like ' || reference
                                        || ' there'
            WHEN v.skip NOT NULL THEN v.name || ' was skipped: ' || v.skip
            WHEN NOT v.measured THEN v.name || ' has no trial that went through' END why
FROM (SELECT DISTINCT version, column1 mode
      FROM like_reference, (VALUES ('threads'), ('processes'))
      WHERE taken AND version NOT IN (SELECT version FROM picked)) n, given
LEFT JOIN like_reference v ON v.variant = (
  SELECT variant FROM like_reference o
  WHERE o.same_settings AND o.mode = n.mode
    AND (o.version = n.version
         OR NOT o.taken AND o.file IN (SELECT file FROM like_reference f
                                       WHERE f.taken AND f.version = n.version))
  ORDER BY o.taken DESC, iif(taken, variant, -variant) LIMIT 1);

-- A version that is left out, and why; or a variant that is taken of several.
CREATE TABLE version_remark AS
SELECT version, coalesce(group_concat(why, '; '), 'threads and processes are of two files of it')
       why, NULL mode, NULL taken, NULL others
FROM (SELECT l.*, min(f.variant) first
      FROM version_lacks l JOIN like_reference f USING (version)
      WHERE f.taken GROUP BY version, l.mode ORDER BY first, l.mode = 'processes')
WHERE 2 = (SELECT count(DISTINCT mode) FROM like_reference
           WHERE same_settings AND mode IN ('threads', 'processes'))
GROUP BY version ORDER BY first;
INSERT INTO version_remark
SELECT p.version, NULL, p.mode, v.name, group_concat(o.name, ', ')
FROM picked_variant p JOIN variant v ON v.id = p.variant
JOIN (SELECT * FROM like_reference WHERE same_settings AND taken ORDER BY variant) o
  ON (o.version, o.mode) = (p.version, p.mode) AND o.variant <> p.variant
GROUP BY p.variant ORDER BY nth, p.mode = 'single', p.mode = 'processes';

-- Large sizes by bandwidth (the gap's, else from 16 MiB up, else all), small ones by latency.
CREATE TABLE version_part AS
SELECT row_number() OVER (ORDER BY ord, coll_nth) - 1 part, r.*, coll, coll_nth, ranks
FROM (SELECT 0 ord, 'busbw' metric, 'stream' pace, nth regime,
             coalesce(g.from_bytes, iif(large, 16 << 20, 0)) from_bytes,
             coalesce(g.to_bytes, 9223372036854775807) to_bytes
      FROM (SELECT max(asked_bytes) >= 16 << 20 large FROM place
            WHERE pace = 'stream' AND NOT is_limit) LEFT JOIN asked_gap g
      LEFT JOIN regime ON name = 'large'
      UNION ALL
      SELECT 1, metric, pace, nth, from_bytes, to_bytes FROM regime
      WHERE name = 'small' AND metric = 'latency') r
JOIN (SELECT coll, coll_nth, pace, max(ranks) ranks FROM place
      WHERE NOT is_limit AND coll <> 'init' GROUP BY coll, pace) USING (pace);

-- Each with the same mode a version before (change), and processes with threads (ratio).
INSERT INTO asked_contrast(finding, part, nth, what, variant, against, metric, coll_nth, from_bytes,
                           to_bytes, regime, together)
SELECT 'versions', part, v.nth, what, v.variant, o.variant, metric, coll_nth, from_bytes, to_bytes,
       regime, 'versions'
FROM (SELECT 'change' what UNION ALL SELECT 'ratio') JOIN version_part JOIN picked_variant v
JOIN picked_variant o ON o.nth = iif(what = 'change', max(v.nth - 1, 1), v.nth)
                     AND o.mode = iif(what = 'change', v.mode, 'threads')
WHERE what = 'change' OR v.mode = 'processes';

-- One mode on one version, in a collective and a regime; all of a part are of the same cells and
-- blocks. change: against the same mode one version below; ratio: of processes, against threads.
CREATE VIEW version_side AS
SELECT c.part, coll, c.metric, c.metric = 'latency' is_time, ranks, c.cells, c.blocks,
       c.from_bytes, c.to_bytes, c.why, c.nth, version, mode, c.variant, c.value, c.value_lo,
       c.value_hi, iif(c.nth > 1, c.speed, NULL) change, iif(c.nth > 1, c.speed_lo, NULL) change_lo,
       iif(c.nth > 1, c.speed_hi, NULL) change_hi,
       iif(c.nth > 1, c.speed_blocks, NULL) change_blocks,
       iif(c.nth > 1, c.effect, 1) change_effect, r.speed ratio, r.speed_lo ratio_lo,
       r.speed_hi ratio_hi, r.speed_blocks ratio_blocks, r.least, r.most, r.asked,
       coalesce(r.verdict, '') verdict, r.effect, r.decided, r.detectable, r.opposed, r.by_cell
FROM asked_found c JOIN version_part USING (part) JOIN picked_variant USING (variant)
LEFT JOIN asked_found r ON (r.finding, r.part, r.variant, r.what)
                           = (c.finding, c.part, c.variant, 'ratio')
WHERE (c.finding, c.what) = ('versions', 'change')
ORDER BY c.part, c.nth, mode = 'single', mode = 'processes';

-- The collective in which processes fall farthest short on a version; if none does, the first.
CREATE VIEW version_worst AS
SELECT part, coll, decided AND effect = 0 worst
FROM version_side
WHERE mode = 'processes' AND NOT is_time
ORDER BY iif(decided AND effect = 0, coalesce(least, ratio), 9), part
LIMIT 1;
