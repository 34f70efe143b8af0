-- What is asked of every run: its regimes, its sizes, its claims.

-- Why a variant has no figures.
CREATE VIEW absent AS
SELECT name, CASE WHEN skip NOT NULL THEN name || ' was skipped: ' || skip
                  WHEN NOT measured THEN name || ' has no trial that went through' END why
FROM variant JOIN known ON variant = id;

-- Why two variants cannot be compared; or nothing.
CREATE VIEW obstacle AS
SELECT left_name, right_name,
       coalesce(iif(l.name IS NULL, left_name || ' is not in this record', l.why),
                iif(r.name IS NULL, right_name || ' is not in this record', r.why),
                uncompared) why
FROM (SELECT left_name, right_name FROM asked_claim
      UNION SELECT before, after FROM asked_factor UNION SELECT from_name, to_name FROM asked_gap),
     given
LEFT JOIN absent l ON l.name = left_name LEFT JOIN absent r ON r.name = right_name;
UPDATE asked_factor SET why = coalesce((SELECT o.why FROM obstacle o
                                        WHERE (left_name, right_name) = (before, after)), '')
WHERE why = '';
UPDATE asked_gap SET why = coalesce((SELECT o.why FROM obstacle o
                                     WHERE (left_name, right_name) = (from_name, to_name)), '');

UPDATE given SET latency_why = coalesce((
  SELECT 'more ranks than cores: waiting workers share them, so that ' || about
         || ' is the scheduler''s' FROM metric, went
  WHERE name = 'latency' AND shared AND has_isolated), ''),
disturbed = (SELECT shared OR NOT gpus AND (ifnull(value, 0) > cores
                                            OR 10 * sum(lost_cores) >= count(*))
             FROM result, went LEFT JOIN environment ON key = 'machine.load1');

-- What was measured of more than the limit and parts of steps.
CREATE VIEW judged_place AS
SELECT * FROM place WHERE NOT is_limit AND NOT of_step AND coll <> 'init';

-- Sizes that are judged together. Without isolated calls small is of streams, without data large is
-- the time per call, and without streams it is the latency; small has none of large's sizes.
INSERT INTO regime(nth, name, label, about, sizes, metric, third, pace, from_bytes, to_bytes,
                   least_bytes, most_bytes)
WITH has AS (SELECT max(pace = 'isolated') isolated, max(pace = 'stream') stream
             FROM judged_place),
kind AS (
  SELECT 'small' name, iif(isolated, 'isolated', 'stream') pace FROM has
  UNION ALL SELECT 'large', iif(isolated AND NOT stream, 'isolated', 'stream') FROM has),
held AS (
  SELECT r.*, CASE WHEN pace = 'isolated' THEN 'latency' WHEN name = 'large' AND data
                   THEN 'busbw' ELSE 'time' END metric
  FROM kind JOIN regime_range r USING (name, pace), given WHERE most_bytes NOT NULL AND compared)
SELECT row_number() OVER (ORDER BY h.name DESC) - 1, h.name,
       iif(third, iif(h.name = 'small', 'the smallest', 'the largest'), h.name),
       sizes(least_bytes, most_bytes) || ', ' || m.about, sizes(least_bytes, most_bytes),
       metric, third, h.pace, from_bytes, to_bytes, least_bytes, most_bytes
FROM held h JOIN metric m ON m.name = metric
WHERE NOT EXISTS (SELECT 1 FROM held l WHERE h.name = 'small' AND l.name = 'large'
                  AND l.pace = h.pace AND l.least_bytes <= h.least_bytes);
UPDATE given SET lacks_blocks = (
  measured AND blocks < least_blocks AND uncompared IS NULL AND NOT searched
  AND EXISTS (SELECT 1 FROM known WHERE known.compared)
  AND (EXISTS (SELECT 1 FROM regime) OR EXISTS (SELECT 1 FROM asked_claim WHERE is_primary)));

-- Variants that are compared with the reference in the cells that both have.
CREATE VIEW beside AS
SELECT k.variant, v.role, r.id reference FROM known k JOIN variant v ON v.id = k.variant
JOIN variant r ON r.role = 'reference' WHERE k.compared AND NOT other_ranks;

-- In each regime and at each place; the A/A line over all sizes of a group, too.
INSERT INTO asked_contrast(finding, part, variant, against, metric, pace, from_bytes, to_bytes,
                           regime)
SELECT 'regime', nth, variant, reference, metric, pace, from_bytes, to_bytes, nth
FROM regime, beside;
INSERT INTO asked_contrast(finding, part, variant, against, metric, pace, coll_nth, grp, from_bytes,
                           to_bytes)
SELECT DISTINCT 'group', grp, variant, reference, 'time', pace, coll_nth, grp, 0,
       9223372036854775807
FROM place, beside WHERE role = 'again'
UNION ALL
SELECT 'place', id, variant, reference, 'time', pace, coll_nth, grp, asked_bytes, asked_bytes
FROM place, beside;

-- Questions without sizes have those of a regime; claims on counters keep all, unless they name
-- one.
CREATE VIEW settled_claim AS
SELECT c.*, coalesce(own_regime, m.regime) regime, m.pace,
       iif(kind <> 'needs', r.from_bytes, NULL) range_from, r.to_bytes range_to
FROM asked_claim c JOIN metric m ON m.name = c.metric
LEFT JOIN regime_range r ON c.from_bytes = 0 AND c.to_bytes = 9223372036854775807
  AND r.name = coalesce(own_regime, m.regime)
  AND r.pace = coalesce(own_pace, m.pace, iif(m.name = 'launch' AND EXISTS (
                        SELECT 1 FROM judged_place WHERE pace = 'isolated'), 'isolated', 'stream'));
UPDATE asked_claim SET (from_bytes, to_bytes) = (
  SELECT coalesce(range_from, s.from_bytes), iif(range_from IS NULL, s.to_bytes, range_to)
  FROM settled_claim s WHERE s.id = asked_claim.id);
UPDATE asked_gap SET (from_bytes, to_bytes) = (
  SELECT from_bytes, to_bytes FROM regime_range WHERE (name, pace) = ('large', 'stream'))
WHERE from_bytes = 0 AND to_bytes = 9223372036854775807;
UPDATE asked_factor SET (from_bytes, to_bytes) = (
  SELECT from_bytes, to_bytes FROM regime_range WHERE (name, pace) = ('large', 'stream'))
WHERE from_bytes = 0 AND to_bytes = 9223372036854775807;
UPDATE asked_factor SET (latency_from, latency_to) = (
  SELECT from_bytes, to_bytes FROM regime_range WHERE (name, pace) = ('small', 'isolated'))
WHERE latency_from = 0 AND latency_to = 9223372036854775807;

-- Claims that can be tested; why the others cannot.
CREATE TABLE claim_why AS
SELECT c.id, CASE WHEN needs <> '' THEN 'it needs ' || needs WHEN o.why NOT NULL THEN o.why
                  WHEN m.waits AND shared
                  THEN 'more ranks than cores: waiting workers share them, so that ' || m.about
                       || ' is the scheduler''s'
                  WHEN isolated_calls < m.least_calls
                  THEN metric || ' needs ' || m.least_calls || ' isolated calls, this run has '
                       || isolated_calls END why
FROM asked_claim c JOIN metric m ON m.name = metric JOIN given JOIN went
LEFT JOIN obstacle o USING (left_name, right_name);
INSERT INTO asked_contrast(finding, part, variant, against, metric, pace, coll_nth, against_coll,
                           from_bytes, to_bytes, by, times)
SELECT 'claims', c.id, l.id, r.id, metric, own_pace, left_nth,
       iif(right_coll <> '', right_nth, NULL), from_bytes, to_bytes, nullif(by, 0), nullif(times, 0)
FROM asked_claim c JOIN claim_why w ON w.id = c.id AND why IS NULL
JOIN variant l ON l.name = left_name JOIN variant r ON r.name = right_name
ORDER BY c.id;
