-- The way from one end of the gap to the other over factors, and what each step of it makes up.
-- Steps are taken over the gap's cells in the blocks that hold all variants of the way, so that
-- their logarithms add up to the gap's. Another order of the same steps may give other shares.
--
-- Shares add up to 1 by arithmetic wherever a way closes, noise included. So a step explains only
-- if its own interval is beyond the margin and it is no placebo; the sum of all others is left or
-- undecided. A share is a ratio of two numbers that vary together from block to block; its interval
-- is Fieller's set, made with the signed-rank test (stats_share).

CREATE TABLE gap_end AS
SELECT f.id first, t.id last
FROM asked_gap JOIN variant f ON f.name = from_name JOIN variant t ON t.name = to_name
WHERE why = '';

-- Factors between measured variants, either way. One that is the gap itself explains nothing.
CREATE TABLE gap_edge AS
WITH link AS (
  SELECT f.id factor, b.id before, t.id after
  FROM asked_factor f JOIN variant b ON b.name = before JOIN variant t ON t.name = after
  JOIN gap_end ON (b.id, t.id) NOT IN (VALUES (first, last), (last, first))
  WHERE 2 = (SELECT sum(measured) FROM known WHERE variant IN (b.id, t.id)))
SELECT * FROM link UNION ALL SELECT factor, after, before FROM link;

-- How many factors each variant is from an end.
CREATE TABLE gap_far AS
WITH RECURSIVE walk(start, variant, far) AS (
  SELECT first, first, 0 FROM gap_end UNION SELECT last, last, 0 FROM gap_end
  UNION
  SELECT start, after, far + 1 FROM walk JOIN gap_edge ON before = variant
  WHERE far < (SELECT count(*) FROM known))
SELECT start, variant, min(far) far FROM walk GROUP BY start, variant;

-- The last step of the shortest way there; of equal ones the factor that comes first.
CREATE TABLE gap_reached AS
SELECT f.*, min(factor) factor, before
FROM gap_far f LEFT JOIN gap_edge ON after = variant
                 AND (start, before, far - 1) IN (SELECT start, variant, far FROM gap_far)
GROUP BY start, variant;

-- The variants on the way, and the factor that leads to each. If none leads through, those from
-- both ends as far as they go, and what is between is no factor's.
CREATE TABLE gap_way AS
WITH RECURSIVE goal AS (
  SELECT *, max(reaches) OVER () through,
         row_number() OVER (PARTITION BY start ORDER BY reaches DESC, far DESC, factor) nth
  FROM (SELECT r.*, first, start = first AND variant = last reaches FROM gap_reached r, gap_end)),
back AS (
  SELECT start, variant, far, factor, before, first FROM goal
  WHERE nth = 1 AND (start = first OR NOT through)
  UNION ALL
  SELECT r.*, first FROM back b JOIN gap_reached r ON (r.start, r.variant) = (b.start, b.before))
SELECT row_number() OVER (ORDER BY start <> first, iif(start = first, far, -far)) nth, variant,
       iif(start = first, factor, lag(factor) OVER (PARTITION BY start ORDER BY far DESC)) factor
FROM back;

-- Its steps, from 1 on, and all of it, 0; and a way of one step, which no factor makes.
CREATE TABLE gap_leg AS
SELECT * FROM (SELECT 0 way, nth - 1 step, lag(variant) OVER (ORDER BY nth) before, variant, factor
               FROM gap_way)
WHERE before NOT NULL
UNION ALL SELECT column1, column2, first, last, NULL
FROM gap_end, (VALUES (0, 0), (1, 0), (1, 1));

INSERT INTO asked_contrast(finding, part, nth, variant, against, metric, from_bytes, to_bytes,
                           regime, together)
SELECT 'gap', way, step, variant, before, 'busbw', from_bytes, to_bytes,
       (SELECT nth FROM regime WHERE name = 'large'), 'gap ' || way
FROM gap_leg, asked_gap;
