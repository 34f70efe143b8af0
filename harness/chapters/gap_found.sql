-- What was found of the gap, step by step.

-- What was found of a step. log: the mean over blocks; at_odds: it and the estimate point two ways,
-- as few blocks that are far off can cause, so that the step is undecided.
CREATE VIEW gap_step_of AS
SELECT c.*, factor, coalesce(f.name, 'rest') name, coalesce(f.before <> b.name, 0) backwards,
       coalesce(placebo, 0) placebo, effect <> 1 AND NOT at_odds beyond
FROM (SELECT c.*, avg(log) log, effect <> 1 AND coalesce((effect - 1) * avg(log) <= 0, 0) at_odds
      FROM asked_found c LEFT JOIN contrast_block USING (asked)
      WHERE finding = 'gap' GROUP BY c.asked) c
JOIN gap_leg ON (way, step) = (part, nth) JOIN variant b ON b.id = against
LEFT JOIN asked_factor f ON f.id = factor;

-- The way that pages show: the gap as a whole if what is left is no less: factors lead elsewhere.
CREATE VIEW gap_taken AS
SELECT *, factor NOT NULL AND beyond AND NOT placebo counts
FROM gap_step_of
WHERE part = EXISTS (SELECT 1 FROM gap_step_of s JOIN gap_step_of w ON (w.part, w.nth) = (0, 0)
                     WHERE s.part = 0 AND s.nth AND s.factor IS NULL AND abs(s.log) >= abs(w.log));

-- A step in a block, next to a gap that is one.
CREATE VIEW gap_brick AS
SELECT s.nth, counts, at_odds, s.block, log, whole
FROM (SELECT nth, counts, at_odds, block, b.log
      FROM gap_taken JOIN contrast_block b USING (asked) WHERE nth) s
JOIN (SELECT block, b.log whole
      FROM gap_taken JOIN contrast_block b USING (asked) WHERE NOT nth AND beyond) USING (block)
ORDER BY s.nth, s.block;

-- A step from one end of the gap to the other: a factor, or what is left. Values are means over the
-- gap's cells; of a step that is at odds the ratio is the mean's.
CREATE TABLE gap_step AS
SELECT asked, nth - 1 id, name, factor IS NULL rest, backwards, placebo, at_odds, counts, beyond,
       against from_variant, variant to_variant, against_value from_gbs, value to_gbs,
       iif(at_odds, exp(log), speed) ratio, iif(at_odds, NULL, speed_lo) ratio_lo,
       iif(at_odds, NULL, speed_hi) ratio_hi, speed_blocks ratio_blocks, speed, speed_lo, speed_hi,
       share, share_lo, share_hi, shares(share_lo, share_hi) of_gap, verdict
FROM gap_taken LEFT JOIN (
  SELECT nth, share(log, whole) share, share_lo(log, whole) share_lo, share_hi(log, whole) share_hi
  FROM gap_brick WHERE NOT at_odds GROUP BY nth) USING (nth)
WHERE nth AND blocks
ORDER BY nth;

-- The gap: bandwidth of a variant ÷ that of another. explained: the share of the steps that count;
-- nothing: there is no gap, and why.
CREATE TABLE gap_whole AS
SELECT from_name, to_name, speed ratio, speed_lo ratio_lo, speed_hi ratio_hi,
       coalesce(speed_blocks, 0) ratio_blocks, verdict, detectable,
       explained, explained_lo, explained_hi, explained_blocks,
       shares(explained_lo, explained_hi) explained_share,
       shares(1 - explained_hi, 1 - explained_lo) left_share,
       shares(explained_lo - 1, explained_hi - 1) back_share, w.by_cell,
       sizes(w.from_bytes, w.to_bytes) at, coalesce(w.cells, 0) cells, coalesce(w.blocks, 0) blocks,
       CASE WHEN g.why <> '' THEN g.why WHEN w.why <> '' THEN w.why
            WHEN withheld THEN 'the gap does not reach beyond what the A/A line shows'
            WHEN at_odds THEN 'few blocks lie so far off that the gap''s mean and its estimate '
                              || 'point two ways'
            WHEN NOT decided THEN 'the gap itself is undecided, so that shares of it would mean '
                                  || 'nothing'
            WHEN NOT beyond THEN 'there is no gap to explain: it is within ' || effect(margin)
            ELSE '' END why
FROM given, asked_gap g LEFT JOIN gap_taken w ON NOT nth
LEFT JOIN (SELECT share(part, whole) explained, share_lo(part, whole) explained_lo,
                  share_hi(part, whole) explained_hi, count(*) explained_blocks
           FROM (SELECT total(iif(counts, log, 0)) part, whole FROM gap_brick GROUP BY block));
