-- When a search's finalist is confirmed to gain in a cell: its whole interval is beyond the hurdle,
-- which is the margin, or the cell's A/A line where that is wider; and its probability, if it were
-- at the hurdle, is 5 % or less after the correction: Bonferroni's over the finalists. Their cells
-- are tested in the order of what the search promised, each only if those before it passed. Other
-- blocks made that order, so that within a finalist no correction is needed (Maurer, Hothorn and
-- Lehmacher 1995), and all finalists together err in 5 % of searches at most.

-- What a variant gains over each trial of the default in its block, a logarithm; the twin over the
-- first.
CREATE VIEW gained AS
SELECT t.variant, role, t.place, t.block, d.time - t.time gain
FROM level t JOIN variant v ON v.id = t.variant JOIN tried d USING (place, block)
WHERE d.variant = (SELECT id FROM variant WHERE role = 'reference')
  AND (role <> 'again' OR d.nth = 0);

CREATE VIEW hurdle AS
SELECT place,
       max(ln(1 + margin), ln(ratio(gain, block, 'hi')), -ln(ratio(gain, block, 'lo'))) hurdle
FROM gained, given
WHERE role = 'again'
GROUP BY place;

CREATE TABLE finalist_cell AS
WITH test AS (
  SELECT f.variant, candidate, p.id place, hurdle, margin, ln(ratio(gain, block, 'lo')) lo,
         coalesce(beyond(gain, block, coalesce(hurdle, ln(1 + margin))), 1) p,
         chosen(gain, block, hurdle) expect, chosen(gain, block, hurdle, 'lo') expect_lo,
         chosen(gain, block, hurdle, 'hi') expect_hi, count(DISTINCT block) blocks
  FROM finalist f JOIN place p ON NOT is_limit JOIN given LEFT JOIN hurdle h ON h.place = p.id
  LEFT JOIN gained g ON (g.variant, g.place) = (f.variant, p.id)
  GROUP BY f.variant, p.id),
corrected AS (
  SELECT *, max(min(1, p * (SELECT count(*) FROM finalist)))
            OVER (PARTITION BY variant ORDER BY promised DESC, place) p_adjusted
  FROM test LEFT JOIN search_promise USING (candidate, place)),
judged AS (
  SELECT *, coalesce(lo > hurdle AND p_adjusted <= 0.05, 0) confirmed FROM corrected)
SELECT variant, place, promised, p_adjusted, confirmed,
       NOT confirmed AND p * (SELECT count(*) FROM finalist) <= 0.05 AND lo > hurdle untested,
       coalesce(lo > -ln(1 + margin), 0) no_loss, -- surely not slower by more than the margin
       iif(confirmed, expect, NULL) expect, iif(confirmed, expect_lo, NULL) expect_lo,
       iif(confirmed, expect_hi, NULL) expect_hi, iif(confirmed, blocks, 0) expect_blocks
FROM judged;
