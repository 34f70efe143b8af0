-- From contrasts to verdicts, on the speed of the variant: of a time the ratio is inverted.

-- The least and the greatest cell of a contrast that has several, by its metric, and as times are;
-- below, above: whether one is so beyond the margin; not_more, not_less: whether one goes another
-- way than a mean that is more, or less. What a gap has not at one size it may have at others.
CREATE VIEW contrast_ends AS
SELECT asked, min(ratio) least, max(ratio) most, min(hi) * (1 + margin) < 1 below,
       max(lo) > 1 + margin above,
       CASE of WHEN 'gap' THEN min(hi) * (1 + margin) < 1 WHEN 'claims' THEN min(ratio) < 1
               ELSE min(ratio) < 1 OR min(hi) < 1 + margin END not_more,
       CASE of WHEN 'gap' THEN max(lo) > 1 + margin WHEN 'claims' THEN max(ratio) > 1
               ELSE max(ratio) > 1 OR max(lo) * (1 + margin) > 1 END not_less,
       estimate(min(ratio)) || ' in ' || min(cell) FILTER (WHERE nth = 1) || ', '
       || estimate(max(ratio)) || ' in ' || min(cell) FILTER (WHERE back = 1) ends,
       estimate(1 / max(ratio)) || ' in ' || min(cell) FILTER (WHERE back = 1) || ', '
       || estimate(1 / min(ratio)) || ' in ' || min(cell) FILTER (WHERE nth = 1) back_ends
FROM (SELECT c.*, what || ' of ' || size(asked_bytes) cell,
             (SELECT finding FROM asked_contrast a WHERE a.id = asked) of,
             row_number() OVER (PARTITION BY asked ORDER BY ratio, base) nth,
             row_number() OVER (PARTITION BY asked ORDER BY ratio DESC, base) back
      FROM contrast_cell c JOIN place p ON p.id = base), given
GROUP BY asked;

-- As measured. c: the ratio of the metric with its interval, as contrast() has it, but no mean is
-- beyond all of its cells, as an estimate over blocks can be; least, most: the speed of its slowest
-- and its fastest cell; opposed: a cell is shown to go another way, so that there is no mean: its
-- interval is within the margin where the mean is beyond, or beyond where the mean is within; or it
-- is on the other side of 1 (of a gap that alone, beyond the margin); ends: both cells. A claim's
-- cells: claim_cells.
CREATE TABLE contrast_found AS
WITH made AS (
  SELECT asked, contrast(x, block, coalesce(by, margin), coalesce(times, 1)) c
  FROM (SELECT asked, block, first x FROM contrast_block UNION ALL
        SELECT asked, block, second FROM contrast_block
        WHERE asked IN (SELECT asked FROM asked_side WHERE two))
  JOIN asked_contrast ON id = asked JOIN given GROUP BY asked),
kept AS (
  SELECT asked, iif(least, json_set(c, '$.ratio', max(least, min(most, c ->> 'ratio'))), c) c
  FROM made LEFT JOIN contrast_ends USING (asked)),
side AS (SELECT asked, exp(avg(own)) value, quantile(exp(own), 0.25) value_lo,
                quantile(exp(own), 0.75) value_hi, exp(avg(other)) against_value, count(*) blocks
         FROM contrast_block GROUP BY asked),
cells AS (SELECT asked, count(*) cells, min(asked_bytes) from_bytes, max(asked_bytes) to_bytes
          FROM asked_cell GROUP BY asked)
SELECT a.id asked, a.finding, a.part, a.variant, a.regime, unit = 'µs' is_time,
       iif(unit = 'µs', 1e-3, 1) scale, c, coalesce(cells, 0) cells,
       coalesce(side.blocks, 0) blocks, coalesce(n.from_bytes, 0) from_bytes,
       coalesce(n.to_bytes, 0) to_bytes, value, value_lo, value_hi, against_value,
       iif(unit = 'µs', 1 / (c ->> 'ratio'), c ->> 'ratio') speed,
       iif(unit = 'µs', 1 / (c ->> 'hi'), c ->> 'lo') speed_lo,
       iif(unit = 'µs', 1 / (c ->> 'lo'), c ->> 'hi') speed_hi,
       iif(unit = 'µs', 1 / most, least) least, iif(unit = 'µs', 1 / least, most) most,
       coalesce(role <> 'again' AND CASE verdict_word(c ->> 'lo', c ->> 'hi', margin)
                WHEN 'faster' THEN not_more WHEN 'slower' THEN not_less
                WHEN 'undecided' THEN below AND above ELSE below OR above END, 0) opposed,
       ends, iif(unit = 'µs', back_ends, ends) speed_ends
FROM asked_contrast a JOIN metric m ON m.name = a.metric JOIN variant v ON v.id = a.variant
JOIN given LEFT JOIN kept k ON k.asked = a.id LEFT JOIN side ON side.asked = a.id
LEFT JOIN contrast_ends e ON e.asked = a.id LEFT JOIN cells n ON n.asked = a.id;
CREATE INDEX found_of ON contrast_found(finding, part, variant);

-- What the variants of a contrast on counters have of them.
CREATE VIEW counters_of AS
SELECT s.asked, side, v.name, a.metric, launches, about,
       (SELECT count(*) FROM cell JOIN trial t ON t.id = trial
        WHERE pass = 'counters' AND error IS NULL AND t.variant = s.variant) cells,
       EXISTS (SELECT 1 FROM measured x
               WHERE (x.metric, x.variant) = (a.metric, s.variant)) has,
       EXISTS (SELECT 1 FROM counter_sum c
               WHERE (c.variant, key) = (s.variant, 'issue_cores')) has_cpu,
       (SELECT value FROM counter JOIN cell ON cell.id = cell JOIN trial t ON t.id = trial
        WHERE t.variant = s.variant AND key = 'missing' AND value <> ''
        ORDER BY cell.id, rank LIMIT 1) missing
FROM asked_side s JOIN asked_contrast a ON a.id = s.asked JOIN metric m ON m.name = a.metric
JOIN variant v ON v.id = s.variant JOIN known k ON k.variant = s.variant
WHERE m.counters;

-- Why there is nothing: of counters, by the first of its variants that lacks them.
CREATE VIEW counters_lack AS
WITH lack AS (
  SELECT *, CASE
    WHEN NOT sum(cells) OVER (PARTITION BY asked)
    THEN 'no counters were read in this run, which it needs for: ' || about
    WHEN NOT cells THEN 'no counters were read of ' || name || ', which it needs for: ' || about
    WHEN has THEN NULL
    WHEN metric = 'issue_cores' AND NOT launches
    THEN 'nothing is launched on host: its workers move the data themselves'
    WHEN metric = 'issue_cores' AND has_cpu THEN 'issuing is too short here for a CPU''s clock'
    WHEN metric <> 'issue_cores' AND missing NOT NULL THEN missing
    ELSE 'the counters of ' || name || ' have no figure for: ' || about END why
  FROM counters_of)
SELECT asked, coalesce((SELECT why FROM lack l WHERE l.asked = o.asked AND why NOT NULL
                        ORDER BY side LIMIT 1),
                       'no cell of it has in each of the variants the counters for: ' || about) why
FROM lack o GROUP BY asked;

CREATE VIEW contrast_why AS
SELECT f.asked, CASE
  WHEN f.blocks THEN ''
  WHEN f.cells THEN 'no block holds all of its cells in each of the variants'
  WHEN NOT EXISTS (SELECT 1 FROM asked_place p WHERE p.asked = f.asked) OR NOT (
    counters OR whole OR name = 'busbw' AND NOT data)
  THEN 'no cell of it was measured here (' || size(a.from_bytes, a.to_bytes) || ')'
  WHEN counters THEN (SELECT why FROM counters_lack l WHERE l.asked = f.asked)
  WHEN whole THEN 'the record does not have it of each of the variants: ' || about
  ELSE 'this backend carries no data' END why
FROM contrast_found f JOIN asked_contrast a ON a.id = f.asked
JOIN metric m ON m.name = a.metric JOIN given;

-- --- what the run can distinguish ---

-- The A/A lines: the least effect that they show, and the farther end of one that excludes 1 within
-- the margin; little: what an effect within the margin has to exceed, so that none does there.
CREATE VIEW aa_line AS
SELECT f.*, shows - 1 > margin wide, max(shows - 1, margin) least_effect,
       iif(shows - 1 <= margin AND (speed_lo > 1 OR speed_hi < 1), shows - 1, 0) off,
       iif(speed_lo > 1 OR speed_hi < 1, margin, shows - 1) little
FROM (SELECT *, max(speed_hi, 1 / speed_lo) shows FROM contrast_found) f
JOIN variant v ON v.id = variant AND role = 'again' JOIN given;

-- A bandwidth above the limit by a factor that is no noise; a reduction can be computed on the way.
CREATE VIEW above_limit AS
SELECT g.nth regime, v.name, max(busbw_gbs / copies_gbs) share
FROM regime g JOIN judged_place p ON p.pace = g.pace
  AND p.asked_bytes BETWEEN g.from_bytes AND g.to_bytes AND p.op = 'none'
JOIN result r ON r.place = p.id JOIN variant v ON v.id = r.variant
JOIN copied_at l USING (bytes)
WHERE g.metric = 'busbw' AND busbw_gbs / copies_gbs > 1.1
GROUP BY g.nth;

-- A machine without GPUs on which the reference differs from itself was busy, whatever its load.
CREATE VIEW aa_off AS
SELECT '; A/A ' || estimate(speed, speed_lo, speed_hi) off FROM aa_line, given
WHERE finding = 'regime' AND wide AND (speed_lo > 1 OR speed_hi < 1) AND NOT gpus
LIMIT 1;
UPDATE given SET disturbed = 1 WHERE EXISTS (SELECT 1 FROM aa_off);

-- Why nothing of the run is distinguished; or nothing.
CREATE VIEW run_doubt AS
SELECT CASE
  WHEN shared THEN 'There are more ranks than the ' || core || ', which waiting workers share: '
                   || 'take fewer ranks.'
  WHEN disturbed THEN 'The machine was busy (a load of ' || coalesce(number(load.value), '?')
                      || ' on ' || core || ' when the run began; ' || lost
                      || ' results lost their cores' || coalesce(off, '')
                      || '): run it again when nothing else runs.' END why
FROM given, (SELECT *, cores || ' core' || iif(cores = 1, '', 's') core FROM went),
     (SELECT CAST(total(lost_cores) AS int) || ' of ' || count(*) lost FROM result)
LEFT JOIN environment load ON key = 'machine.load1' LEFT JOIN aa_off;

CREATE TABLE regime_doubt AS
SELECT g.nth, a.least_effect, coalesce(a.off, 0) off, CASE
  WHEN r.why NOT NULL THEN r.why
  WHEN l.share > 0 THEN l.name || ' reaches ' || CAST(10 * round(10 * l.share) AS INTEGER)
                        || ' % of the measured copy limit: distrust both.'
  WHEN twin.id IS NULL
  THEN 'The run has no A/A line: the reference was not measured a second time.'
  WHEN a.speed IS NULL THEN 'The A/A line has no figure: ' || coalesce(w.why, 'it was not measured')
                            || '.'
  WHEN a.speed_lo IS NULL
  THEN a.blocks || ' block' || iif(a.blocks = 1, '', 's') || ': below ' || least_blocks
       || ' there are no intervals, and no gap can be distinguished from noise.'
  WHEN a.wide AND (a.speed_lo > 1 OR a.speed_hi < 1)
  THEN 'The reference differs from itself: the A/A line is '
       || estimate(a.speed, a.speed_lo, a.speed_hi) || '.'
  WHEN a.wide THEN 'Differences under ' || effect(a.least_effect) || ' cannot be seen: the A/A '
                   || 'line is ' || estimate(a.speed, a.speed_lo, a.speed_hi)
                   || ', wider than the margin of ' || effect(margin) || '.' END doubt,
  r.why NOT NULL OR l.share > 0 other
FROM regime g JOIN given JOIN run_doubt r
LEFT JOIN variant twin ON twin.role = 'again'
LEFT JOIN above_limit l ON l.regime = g.nth
LEFT JOIN aa_line a ON (a.finding, a.part) = ('regime', g.nth)
LEFT JOIN contrast_why w USING (asked);
UPDATE regime SET (tells, doubt, least_effect, off) = (
  SELECT d.doubt IS NULL, coalesce(d.doubt, ''), iif(other, NULL, d.least_effect),
         iif(d.doubt IS NULL, d.off, 0)
  FROM regime_doubt d WHERE d.nth = regime.nth);

-- --- what is said ---

-- What a contrast's regime lets through, or the reference against itself in the same cells. shows:
-- from where effects that could have been seen are.
CREATE VIEW line AS
SELECT f.asked, tells, iif(role = 'again', NULL, little) little, r.least_effect,
       coalesce(r.least_effect, margin) shows
FROM contrast_found f JOIN variant v ON v.id = f.variant JOIN given
LEFT JOIN regime r ON r.nth = f.regime
LEFT JOIN aa_line a ON (a.finding, a.part) = ('regime', f.regime)
WHERE f.finding NOT IN ('place', 'own')
UNION ALL
SELECT f.asked, coalesce(NOT wide, 0) AND NOT disturbed, little,
       iif(disturbed, NULL, least_effect), iif(disturbed, NULL, least_effect)
FROM contrast_found f JOIN given
LEFT JOIN aa_line a ON (a.finding, a.part) = (iif(f.finding = 'own', 'place', f.finding), f.part)
WHERE f.finding IN ('place', 'own');

-- The verdict, undecided for what is withheld: what the line does not let through.
CREATE VIEW judged_contrast AS
WITH said AS (
  SELECT *, iif(opposed, 'undecided', verdict_word(speed_lo, speed_hi, margin)) word
  FROM contrast_found JOIN given JOIN line USING (asked)),
kept AS ( -- an effect within the margin is none where cells lie on both sides
  SELECT *, verdict_heard(word, speed_lo, speed_hi, tells, least_effect,
                          iif(least < 1 AND most > 1, 9e9, little)) said_word
  FROM said)
SELECT *, said_word = 'undecided' AND word <> 'undecided' withheld,
       detectable(speed_lo, speed_hi, coalesce(shows, margin)) seen
FROM kept;

CREATE TABLE contrast AS
SELECT j.asked, value * scale value, value_lo * scale value_lo, value_hi * scale value_hi,
       against_value * scale against_value, speed, speed_lo, speed_hi,
       coalesce(c ->> 'blocks', 0) speed_blocks, c ->> 'confidence' confidence,
       1 + (said_word = 'faster') - (said_word = 'slower') effect, iif(speed, said_word, NULL) word,
       iif(speed, iif(said_word IN ('faster', 'slower', 'undecided'), said_word, 'as fast'), NULL)
       short_word,
       iif(opposed, 'differs: ' || speed_ends,
           verdict_said(said_word, c, is_time, margin, seen, NOT withheld)) verdict,
       opposed, said_word <> 'undecided' decided, withheld,
       coalesce(estimate(speed, speed_lo, speed_hi), '-') label,
       least, most, iif(estimate(least) <> estimate(most), interval(speed, least, most), NULL)
       by_cell, seen detectable, cells, blocks, from_bytes, to_bytes, why
FROM judged_contrast j JOIN contrast_why USING (asked)
ORDER BY j.asked;
CREATE INDEX contrast_of ON contrast(asked);

UPDATE result SET (ratio, ratio_lo, ratio_hi, ratio_blocks, effect)
= (speed, speed_lo, speed_hi, speed_blocks, short_word)
FROM (SELECT part, a.variant of, c.* FROM asked_contrast a JOIN contrast c ON asked = a.id
      WHERE finding = 'place')
WHERE (place, variant) = (part, of);

-- A variant in a regime, against the reference. effect: faster, slower, as fast, undecided, or
-- both: by cell, which have no mean; detectable: the smallest effect that could have been seen,
-- none below the margin or the A/A line's; odd: the one block that leaves it undecided.
CREATE TABLE speed AS
SELECT part regime, variant, value * scale value, against_value * scale reference_value,
       iif(opposed, NULL, speed) speed, iif(opposed, NULL, speed_lo) speed_lo,
       iif(opposed, NULL, speed_hi) speed_hi, iif(opposed, 0, c ->> 'blocks') speed_blocks,
       CASE WHEN NOT tells AND least_effect IS NULL THEN ''
            WHEN opposed THEN 'differs: ' || speed_ends
            WHEN tells OR said_word <> 'undecided'
            THEN verdict_said(said_word, c, is_time, margin, seen, 1)
            ELSE 'undecided' || coalesce(': ' || coalesce(odd_said(c, is_time),
                 'differences under ' || effect(seen) || ' cannot be seen'), '')
       END verdict,
       CASE WHEN opposed THEN 'both' WHEN said_word IN ('faster', 'slower', 'undecided')
            THEN said_word ELSE 'as fast' END effect,
       said_word word, speed by_cell, least by_cell_lo, most by_cell_hi, cells,
       speed_ends ends, word NOT IN ('faster', 'slower', 'undecided') within,
       seen detectable, odd_said(c, is_time) odd
FROM judged_contrast
WHERE finding = 'regime' AND speed NOT NULL
ORDER BY part, variant;

-- What cells are by a claim's own limits: yes, one is where it holds; no, one is not. Of equal ones
-- no is also what surely differs and is not shown to be within.
CREATE VIEW claim_cells AS
WITH edge AS (SELECT id, kind, at, at / (1 + by) low, at * (1 + by) high
              FROM (SELECT *, coalesce(nullif(times, 0), 1) at FROM settled_claim)),
side AS (SELECT id, CASE kind WHEN 'less' THEN ratio < low WHEN 'more' THEN ratio > high
                              ELSE ratio > low AND ratio < high END yes,
                kind = 'within' AND (lo > at AND hi > high OR hi < at AND lo < low) off
         FROM edge JOIN contrast_found ON (finding, part) = ('claims', id)
         JOIN contrast_cell USING (asked))
SELECT id, max(yes) yes, max(NOT yes OR off) no FROM side GROUP BY id;

-- A claim with its contrast. line: how far effects are not distinguished from none; 0: they are.
CREATE VIEW claim_found AS
SELECT s.*, w.why untested, cw.why contrast_why, c, f.cells, f.blocks, f.from_bytes from_cell,
       f.to_bytes to_cell, f.value * scale left_value, f.against_value * scale right_value,
       coalesce(opposed, 0) AND NOT s.times apart, coalesce(yes, 0) yes, coalesce(no, 0) no, ends,
       iif(is_time, 1 / most, least) least, iif(is_time, 1 / least, most) most,
       CASE WHEN g.nth IS NULL OR m.counters THEN 0 WHEN NOT tells THEN least_effect
            WHEN s.kind = 'within' THEN 0 ELSE g.off END line, m.about, m.brief, m.unit,
       m.by_path, m.whole
FROM settled_claim s JOIN claim_why w USING (id) JOIN metric m ON m.name = s.metric
LEFT JOIN contrast_found f ON (f.finding, f.part) = ('claims', s.id)
LEFT JOIN claim_cells USING (id)
LEFT JOIN contrast_why cw ON cw.asked = f.asked LEFT JOIN regime g ON g.name = s.regime;

-- What the file claims, and the outcome; opposed: a cell is not as that says.
CREATE TABLE claimed AS
WITH mean AS (
  SELECT *, CASE claim_judged(kind, by, times, c, 0, line) ->> 'outcome'
            WHEN 'holds' THEN no WHEN 'undecided' THEN apart ELSE yes END opposed
  FROM claim_found),
outcome AS (SELECT *, claim_judged(kind, by, times, c, opposed, line) o FROM mean),
family AS (
  SELECT *, o ->> 'outcome' outcome, o ->> 'p' p, iif(is_primary, o ->> 'p', min(1, (o ->> 'p')
         * count(o ->> 'p') FILTER (WHERE NOT is_primary) OVER ())) p_adjusted
  FROM outcome)
SELECT id, name, text, source, says, original, needs, left_name, right_name, left_coll, right_coll,
       coll, pace, metric, about, brief, unit, whole, by_path,
       iif(needs = '', regime, NULL) regime, kind, o ->> 'limits' test, by, times,
       is_primary, outcome, iif(opposed, 'undecided: ' || ends, o ->> 'verdict') verdict,
       o ->> 'more' more, -- blocks that would decide it; 0: not by blocks
       coalesce(untested, contrast_why) why, p, p_adjusted, alpha,
       outcome NOT IN ('undecided', 'untested') AND p_adjusted > alpha alone,
       left_value, right_value, iif(opposed, NULL, c ->> 'ratio') ratio,
       iif(opposed, NULL, c ->> 'lo') ratio_lo, iif(opposed, NULL, c ->> 'hi') ratio_hi,
       iif(opposed OR c IS NULL, 0, c ->> 'blocks') ratio_blocks,
       iif(opposed, NULL, c ->> 'bound_lo') bounds_lo, -- each end by itself
       iif(opposed, NULL, c ->> 'bound_hi') bounds_hi,
       iif(estimate(least) <> estimate(most), interval(c ->> 'ratio', least, most), NULL) by_cell,
       iif(opposed, NULL, c ->> 'confidence') confidence, coalesce(cells, 0) cells,
       coalesce(blocks, 0) blocks, coalesce(from_cell, 0) from_bytes, coalesce(to_cell, 0) to_bytes,
       o ->> 'detectable' detectable, odd_said(c, 0) odd, analogue, question
FROM family ORDER BY id;

-- What the blocks of a run with too few of them showed: of the primary claim's two variants, or of
-- those of each regime. ratio: of the claim's metric, about; of speed.
CREATE VIEW seen AS
WITH of_claim AS (
  SELECT f.asked, upper(substr(about, 1, 1)) || substr(about, 2) about
  FROM contrast_found f JOIN asked_claim c ON c.id = f.part JOIN metric m ON m.name = c.metric
  WHERE f.finding = 'claims' AND is_primary AND NOT counters AND right_coll = '' AND f.blocks)
SELECT iif(finding = 'regime', part, NULL) regime, a.variant, against,
       exp(iif(o.asked IS NULL AND unit = 'µs', -log, log)) ratio, o.about
FROM given JOIN asked_contrast a JOIN metric m ON m.name = a.metric
JOIN contrast_block b ON b.asked = a.id JOIN variant v ON v.id = a.variant
LEFT JOIN of_claim o ON o.asked = a.id
WHERE lacks_blocks AND blocks AND (o.asked NOT NULL OR finding = 'regime' AND role <> 'again'
                                   AND NOT EXISTS (SELECT 1 FROM of_claim))
ORDER BY a.id, block;
