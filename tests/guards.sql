-- What a report has to hold whatever its record: each query at the end finds what breaks a rule, as what that is and
-- where. `given` has the report as JSON, and `one` each row of each chapter's table as an object by column; guards.c has
-- the functions of texts. What a table lacks is NULL.

CREATE TABLE report AS
SELECT 1 + coalesce(doc ->> 'margin', 0) edge, doc ->> 'trust' trust FROM given;

CREATE TABLE regime AS
SELECT r.key nth, r.value ->> 'name' name, r.value ->> '$.bytes[0]' lo, r.value ->> '$.bytes[1]' hi,
       r.value ->> 'pace' pace, json_type(r.value, '$.least_effect') least FROM given, json_each(doc, '$.regimes') r;

CREATE INDEX by_tab ON one (tab, nth);

-- Sentences, by their first role, and the rows that they name.
CREATE TABLE sentence AS
SELECT 1000 * c.key + s.key id, c.value ->> 'name' chapter, s.value ->> 'text' text,
       s.value ->> '$.roles[0]' role, json_array_length(s.value, '$.roles') roles, s.value -> 'of' of
FROM given, json_each(doc, '$.chapters') c, json_each(c.value, '$.sentences') s;
CREATE TABLE basis AS
SELECT sentence.id, b.key basis, b.value ->> 'table' tab, r.value nth FROM sentence, json_each(of) b, json_each(b.value, '$.rows') r;

CREATE TABLE result AS
SELECT nth, o ->> 'variant' variant, o ->> 'role' role, o ->> 'collective' collective,
       o ->> 'what' what, o ->> 'ranks' ranks, o ->> 'root' root, o ->> 'pace' pace,
       o ->> 'bytes' bytes, o ->> 'asked_bytes' asked, o ->> '$.ratio.estimate' x, o ->> '$.ratio.lo' lo, o ->> '$.ratio.hi' hi FROM one WHERE tab = 'summary';

-- The reference against itself where results are: how far it is off.
CREATE TABLE line AS
SELECT min(nth), what, ranks, root, pace, bytes, asked, max(hi, 1 / lo) far FROM result WHERE role = 'again' GROUP BY what, ranks, root, pace, bytes, asked;

-- Results beyond the margin and that line.
CREATE TABLE effect AS SELECT r.* FROM report, result r
JOIN line l ON l.what IS r.what AND l.ranks IS r.ranks AND l.root IS r.root AND l.pace IS r.pace AND l.bytes IS r.bytes AND l.asked IS r.asked
WHERE (lo > edge OR hi * edge < 1) AND (lo > far OR hi * far < 1);

-- Verdicts with their intervals.
CREATE TABLE judged AS
WITH held(tab, verdict, of, lines) AS ( VALUES ('verdicts_large', 'verdict', 'speed', 'verdicts_large'),
         ('verdicts_small', 'verdict', 'speed', 'verdicts_small'), ('factors', 'verdict', 'effect', 'verdicts_large'),
         ('factors', 'latency_verdict', 'latency', 'verdicts_small'), ('versions', 'verdict', 'ratio', 'verdicts_large'))
SELECT lines, o ->> verdict verdict, o -> of ->> 'lo' lo, o -> of ->> 'hi' hi, nth FROM held JOIN one USING (tab);
CREATE TABLE ruled AS
SELECT j.*, l.o ->> '$.speed.lo' line_lo, l.o ->> '$.speed.hi' line_hi, max(l.o ->> '$.speed.hi', 1 / (l.o ->> '$.speed.lo')) far
FROM judged j JOIN one l ON l.rowid = (SELECT max(l.rowid) FROM one l WHERE l.tab = lines AND instr(o ->> 'variant', 'A/A'));

-- A verdict is beyond the A/A line of what it is of: a line that is not within the margin allows no smaller one, and
-- one that excludes 1 none below the margin.
SELECT 'a verdict that its A/A line does not allow', verdict FROM ruled, report
WHERE far IS NOT NULL AND NOT coalesce(CASE WHEN verdict = 'faster' THEN lo > far WHEN verdict = 'slower' THEN hi < 1 / far
                        WHEN verdict LIKE 'no difference%' THEN far <= edge + 0.01 WHEN instr(verdict, ', by under') OR verdict GLOB '* by little'
                        THEN far <= edge + 0.01 AND line_lo <= 1 AND line_hi >= 1 AND (lo > far OR hi * far < 1) ELSE 1 END, 0);

-- A machine whose cores others used has none.
SELECT 'a verdict of a busy machine', verdict FROM judged, report
WHERE instr(trust, 'Cores were shared') AND (verdict GLOB 'faster*' OR verdict GLOB 'slower*' OR verdict GLOB 'no difference*');

-- A mean is not beyond its cells, as far as digits go.
WITH key(of, by) AS (VALUES ('speed', 'each'), ('ratio', 'by_cell'), ('latency_effect', 'latency_cells'), ('bandwidth_effect', 'bandwidth_cells')),
     held AS (SELECT tab || ', row ' || nth at, o -> of ->> 'estimate' x, o ->> by by, json_type(o, '$.' || by) type FROM one, key)
SELECT 'a mean beyond its cells', at FROM held WHERE max(iif(type = 'text', limit_of(by, 0), by ->> 'lo') - x, x - iif(type = 'text', limit_of(by, 1), by ->> 'hi'))
      > iif(x < 10, 0.0006, 0.006 * x);

-- The ends of a mean are those of its sizes and are said, and none is shown to go another way than its word: none is on
-- the other side of 1 or wholly within the margin, none beyond the margin where it is equal. Parts of a training step are among the results, and not in the mean.
CREATE TABLE mean AS
SELECT o ->> 'name' name, o ->> '$.each.lo' lo, o ->> '$.each.hi' hi, o ->> '$.speed.estimate' speed,
       o ->> 'verdict' verdict, o ->> 'cells' cells, o ->> 'twin' twin,
       min(r.x) least, max(r.x) most, max(r.hi * edge < 1) slower, max(r.lo > edge) faster, max(r.hi < edge) no_more, max(r.lo * edge > 1) no_less
FROM report, regime g JOIN one ON tab = iif(g.name LIKE 'large%', 'verdicts_large', 'verdicts_small')
LEFT JOIN result r ON r.variant = o ->> 'name' AND r.pace = g.pace AND r.asked BETWEEN g.lo AND g.hi
WHERE NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training') GROUP BY g.nth, one.nth;
SELECT iif(most > 1.01 * least AND cells IS NULL, 'a mean without its range', 'its cells have other ends'), name FROM mean
WHERE (most > 1.01 * least AND cells IS NULL)
   OR (cells IS NOT NULL AND NOT coalesce(has_range(cells, least, most) AND is_near(lo, least) AND is_near(hi, most), 0));
WITH word AS (
  SELECT o ->> 'variant' name, iif(o ->> 'kind', 'slower', 'faster') verdict, o ->> '$.speed.lo' least, o ->> '$.speed.hi' most,
         0 slower, 0 faster, 0 no_more, 0 no_less, NULL speed, 0 twin FROM one WHERE tab = 'caption_verdicts' AND o ->> 'kind' < 2 UNION ALL
  SELECT name, verdict, least, most, slower, faster, no_more, no_less, speed, twin FROM mean UNION ALL
  SELECT o ->> 'factor', o ->> 'verdict', limit_of(o ->> 'bandwidth_by_cell', 0),
         limit_of(o ->> 'bandwidth_by_cell', 1), 0, 0, 0, 0, NULL, 0 FROM one WHERE tab = 'effects')
SELECT 'a verdict that one of its cells has not', name || ': ' || verdict FROM word, report
WHERE NOT coalesce(twin, 0) AND ((verdict IN ('faster', 'slower') AND iif(verdict = 'faster', no_more, no_less))
    OR (verdict GLOB 'faster*' AND least < 0.9995) OR (verdict GLOB 'slower*' AND most > 1.0005)
    OR ((verdict GLOB 'no difference*' OR instr(verdict, ', by under')) AND (slower OR faster)) OR (slower AND faster AND speed IS NOT NULL));

-- The strip compares variants of one version, where versions are compared. What it calls faster or slower is so among
-- the results, at one pace at least; on another version than the report's reference by its interval.
CREATE TABLE strip AS
SELECT o ->> 'variant' variant, o ->> 'verdict' verdict, o ->> 'reference' reference, o ->> 'coll' collective,
       o ->> 'bytes' bytes, o ->> '$.speed.lo' lo, o ->> '$.speed.hi' hi FROM one WHERE tab = 'strip';
WITH version AS (SELECT o ->> 'variant' variant, o ->> 'version' version FROM one WHERE tab = 'versions')
SELECT 'a strip that compares two versions', s.variant FROM strip s
JOIN version v ON v.variant = s.variant JOIN version r ON r.variant = s.reference WHERE v.version <> r.version;
SELECT 'a picture of another size than the strip', o ->> 'drawn' FROM one, report, (SELECT * FROM strip LIMIT 1) s
WHERE tab IN ('gap', 'versions_of') AND coalesce(o ->> 'metric', 'busbw') = 'busbw' AND s.bytes >= 1 << 24
  AND instr(trust, ' of ') AND coalesce(o ->> 'collective', collective) = collective AND NOT instr(trust, (o ->> 'drawn') || ': ');
SELECT 'bars of two scales', s.o ->> 'variant' FROM one s JOIN one r ON r.tab = 'strip' AND r.nth = 0 AND r.o ->> 'variant' = (SELECT doc ->> 'reference' FROM given)
WHERE s.tab = 'strip' AND s.o ->> 'verdict' = 'reference'
  AND abs(abs(ln(s.o ->> '$.bar.estimate')) - abs(ln((s.o ->> 'value') / (r.o ->> 'value')))) > 0.01;
SELECT 'a verdict beyond no A/A line', verdict FROM strip s, report
WHERE (instr(verdict, ' faster') OR instr(verdict, ' slower')) AND NOT iif(reference IS (SELECT doc ->> 'reference' FROM given),
              EXISTS (SELECT 1 FROM effect e WHERE e.variant = s.variant AND e.collective = s.collective AND asked = s.bytes),
              EXISTS (SELECT 1 FROM line l WHERE l.what GLOB s.collective || '*' AND asked = s.bytes
                      AND (s.lo > max(edge, far) OR s.hi * max(edge, far) < 1)));

SELECT 'a collective alone, where another shows the opposite', s.variant FROM strip s JOIN effect e ON (e.variant, e.collective, e.asked) = (s.variant, s.collective, s.bytes)
JOIN effect f ON (f.variant, f.pace, f.asked) = (e.variant, e.pace, e.asked) AND (e.x > 1) <> (f.x > 1) AND f.collective NOT IN (SELECT collective FROM strip t WHERE t.variant = s.variant);
-- How the picture of all collectives sums up: no effect that its A/A line does not allow.
SELECT 'the overview has effects that no A/A line allows', o ->> 'variant' FROM one
WHERE tab = 'overview' AND (o ->> 'faster') + (o ->> 'slower') > (SELECT count(*) FROM effect WHERE variant = o ->> 'variant' AND pace = 'stream');

-- What a version changed is said at a size that shows it beyond the A/A line: the strip's, if that does.
WITH side AS MATERIALIZED (
  SELECT v.o ->> 'collective' collective, v.o ->> 'mode' mode, v.o ->> 'version' version, r.asked, r.pace, coalesce(r.lo, 1) lo, coalesce(r.hi, 1) hi,
         iif(v.o ->> 'metric' = 'busbw', s.o ->> 'busbw_gbs', s.o ->> 'p50_us') x
  FROM one v JOIN result r ON v.tab = 'versions' AND r.variant = v.o ->> 'variant' AND r.collective = v.o ->> 'collective'
   AND r.pace = iif(v.o ->> 'metric' = 'busbw', 'stream', 'isolated') JOIN one s ON s.tab = 'summary' AND s.nth = r.nth),
pair AS MATERIALIZED (SELECT a.*, b.x y, b.version old, a.lo > b.hi * max(edge, far) OR b.lo > a.hi * max(edge, far) shown FROM report, side a JOIN side b USING (collective, mode, asked, pace)
         JOIN line l ON (l.what, l.pace, l.asked) = (a.collective, a.pace, a.asked))
SELECT 'a change at another size than shows it', t.o ->> 'told' FROM one t JOIN pair p ON (p.x, p.y) = (t.o ->> 'x0', t.o ->> 'x1') JOIN pair h USING (collective, mode, version, old, pace)
WHERE t.tab = 'versions_said' AND (NOT p.shown OR p.asked <> h.asked AND h.shown AND pace = 'stream' AND h.asked = (SELECT bytes FROM strip LIMIT 1));

-- What some sizes do not show has no mean over them, and a headline is not of them.
SELECT 'a mean over sizes that do not show it', o ->> 'told' FROM one
WHERE tab IN ('versions_said', 'versions_brief') AND o ->> 'told' GLOB '* of threads'' bandwidth*not proven at *(*'
   OR tab = 'versions_brief' AND o ->> 'told' GLOB '* of threads'' bandwidth*(not proven at *: *';

-- A claim is undecided unless it has a probability of 5 % and the interval that decides is inside of its limits, or
-- outside, by what the A/A line shows: each end by itself (bounds), and outside of `within` both (ratio). What is
-- outside without that, by an interval beyond the line, is so too. Limits are exact, not as they are written.
CREATE TABLE claim AS
WITH written AS (
  SELECT o, limit_of(o ->> 'test', 0) lo, limit_of(o ->> 'test', 1) hi, o ->> 'by' by FROM one WHERE tab = 'claims'),
kind AS (SELECT *, lo > 0 AND hi < 9e999 within FROM written),
exact AS (
  SELECT o, by, within, iif(within, round(hi / (1 + by), 2) / (1 + by), iif(lo > 0, 1 + by, 0)) lo,
         iif(within, round(hi / (1 + by), 2) * (1 + by), iif(hi < 9e999, 1 / (1 + by), 9e999)) hi
  FROM kind WHERE within NOT NULL)
SELECT o ->> 'claim' claim, o ->> 'verdict' verdict, within, o ->> 'metric' about, o ->> 'at' at, o ->> 'by_cell' by_cell, by < edge - 1 + 1e-6 plain, o ->> 'metric_name' metric, o ->> 'left' "left",
       o ->> 'right' "right", o ->> '$.ratio.estimate' x, o ->> '$.bounds.lo' least, o ->> '$.bounds.hi' most,
       iif(within, o ->> '$.ratio.lo', o ->> '$.bounds.lo') outer_lo,
       iif(within, o ->> '$.ratio.hi', o ->> '$.bounds.hi') outer_hi, coalesce(o ->> 'p', 0) p, lo, hi,
       coalesce((SELECT CASE WHEN 1 + coalesce(n.o ->> 'means', n.o ->> 'least') > edge THEN 1 + coalesce(n.o ->> 'means', n.o ->> 'least')
                             WHEN within OR 1 BETWEEN n.o ->> '$.twin.lo' AND n.o ->> '$.twin.hi' THEN 1
                             ELSE max(n.o ->> '$.twin.hi', 1 / (n.o ->> '$.twin.lo')) END
                 FROM one n WHERE n.tab = 'noise' AND n.o ->> 'label' = exact.o ->> 'regime' LIMIT 1), 1) far FROM report, exact;
SELECT 'a verdict that its figures do not give', claim FROM claim WHERE (verdict LIKE 'holds%' OR verdict LIKE 'does not%' OR instr(verdict, ', but not '))
  AND (p > 0.05 + 1e-6 OR NOT coalesce(iif(verdict LIKE 'holds%', least / far > lo AND most * far < hi,
                        outer_lo / far >= hi OR (lo > 0 AND outer_hi * far <= lo) OR ((outer_lo > far OR outer_hi * far < 1)
                            AND (outer_lo >= hi OR (lo > 0 AND outer_hi <= lo)))), 0));
-- A claim is so at each size by its own limits; none that holds has a size that surely differs and is not within them.
SELECT 'a claim that one of its sizes has not', claim FROM claim
WHERE CASE WHEN verdict LIKE 'holds%' THEN limit_of(by_cell, 0) < 0.999 * lo OR limit_of(by_cell, 1) > 1.001 * hi
           WHEN verdict LIKE 'does not%' OR instr(verdict, ', but not ')
           THEN limit_of(by_cell, 0) BETWEEN 1.001 * lo AND 0.999 * hi OR limit_of(by_cell, 1) BETWEEN 1.001 * lo AND 0.999 * hi END;
SELECT 'a claim that one of its cells has not', claim FROM given, claim c JOIN one ON tab = 'claims' AND o ->> 'claim' = claim
JOIN result r ON variant = "left" AND "right" = doc ->> 'reference' AND asked BETWEEN o ->> 'from_bytes' AND o ->> 'to_bytes'
WHERE verdict LIKE 'holds%' AND within AND pace = CASE metric WHEN 'busbw' THEN 'stream' WHEN 'latency' THEN 'isolated' END
  AND o ->> 'cells' > 1 AND iif(o ->> 'coll' NOT NULL, collective = o ->> 'coll', NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training'))
  AND ((r.lo > 1 AND r.hi > c.hi) OR (r.hi < 1 AND r.lo < c.lo));
SELECT 'advice on what a claim leaves open', claim FROM claim JOIN one a ON a.tab = 'advice' AND a.o ->> 'metric' = metric
WHERE plain AND verdict LIKE 'undecided%' AND (("left", "right") = (a.o ->> 'to', a.o ->> 'from')
                                  OR ("left", "right") = (a.o ->> 'from', a.o ->> 'to'));

-- A source's line, and a claim in brief, come out as the claim does. Both show its limits, and a line its sizes and how
-- far it goes from cell to cell, as a claim in brief has it.
CREATE TABLE brief AS
SELECT o ->> 'says' says, o ->> 'outcome' outcome, o ->> 'ratio' ratio, o ->> 'found' found, '' of, o ->> 'of' sized, o ->> 'test' test
FROM one WHERE tab = 'source_lines' UNION ALL
SELECT o ->> 'says', o ->> 'outcome_new', o ->> 'ratio_new', o ->> 'found_new', coalesce(o ->> 'of', ''), o ->> 'of', o ->> 'test'
FROM one WHERE tab = 'source_lines' UNION ALL
SELECT o ->> 'claim', verdict, substr(verdict, instr(verdict, ', ') + 2), verdict, '', NULL, o ->> 'test'
FROM (SELECT o, o ->> 'verdict' verdict FROM one WHERE tab = 'claims_short' UNION ALL
      SELECT o, o ->> 'verdict_new' FROM one WHERE tab = 'claims_short');
SELECT 'a claim without limits', says FROM brief
WHERE outcome <> '' AND outcome NOT IN ('cannot be tested here', 'not applicable') AND limit_of(coalesce(test, ''), 0) IS NULL;
SELECT 'a claim without limits', text FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE tab = 'claims' AND NOT instr(text, coalesce(o ->> 'test', ''));
SELECT 'a line without its sizes', says FROM brief JOIN claim ON is_written(x, ratio) AND of GLOB about || '*' || "left" || ' ÷ ' || "right"
WHERE outcome NOT IN ('cannot be tested here', 'not applicable') AND (NOT instr(sized, substr(at, instr(at, ' '))) OR NOT instr(found, by_cell));

-- A claim's words may have a number that is not the one tested: that stands beside them.
SELECT 'a claim without what was tested', text FROM sentence JOIN one ON tab = 'claims' AND instr(text, '''' || (o ->> 'text') || '''')
WHERE NOT instr(text, 'tested: ' || (o ->> 'test'));
SELECT 'a claim without what was tested', r.tab FROM one c JOIN one r ON c.tab = 'claims' AND r.tab <> c.tab AND instr(r.o, c.o ->> 'text')
WHERE c.o ->> 'test' NOT NULL AND EXISTS (SELECT 1 FROM json_each(r.o) WHERE value = c.o ->> 'text' OR value GLOB (c.o ->> 'text') || ' (*')
GROUP BY r.rowid HAVING NOT max(instr(r.o, c.o ->> 'test') > 0);

-- What is taken alone is marked wherever it is used.
SELECT 'a claim taken alone, without a mark', text FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth)
JOIN claim ON "left" = o ->> 'left' AND "right" = o ->> 'right' AND x = o ->> '$.ratio.estimate'
WHERE tab IN ('claims', 'claim_answer') AND NOT instr(text, '(taken alone)')
GROUP BY id, nth HAVING min(instr(verdict, '(taken alone)'));

-- A cause is reproduced where the gap is: a line of equal variants, where one of them differs from another.
SELECT 'a cause of no gap', says
FROM brief JOIN claim c ON is_written(x, ratio) AND instr(of, "left" || ' ÷ ' || "right") AND within
WHERE outcome LIKE 'reproduced%' AND EXISTS (SELECT 1 FROM claim g WHERE (g."left", g.metric) = (c."left", c.metric) AND NOT g.within)
  AND NOT EXISTS (SELECT 1 FROM claim g WHERE (g."left", g.metric) = (c."left", c.metric) AND NOT g.within AND g.verdict LIKE 'holds%');
SELECT 'a line that no claim decides so', says FROM brief
WHERE (outcome LIKE 'reproduced%' OR outcome LIKE 'holds%' OR outcome LIKE 'refuted%'
    OR outcome LIKE 'no longer%' OR outcome LIKE 'does not%') AND NOT EXISTS (SELECT 1 FROM claim
                  WHERE is_written(x, ratio) AND (of = '' OR instr(of, "left" || ' ÷ ' || "right")) AND NOT verdict LIKE 'undecided%'
                    AND (verdict LIKE 'holds%') = (outcome LIKE 'reproduced%' OR outcome LIKE 'holds%'));

-- What results leave open and a claim decides has a sentence on why.
SELECT 'undecided, and a claim without a word on it', v.o ->> 'name' FROM given, one v
JOIN claim c ON c.metric = v.o ->> 'metric' AND doc ->> 'reference' IN ("left", "right") AND v.o ->> 'name' IN ("left", "right")
WHERE v.tab GLOB 'verdicts_*' AND v.o ->> 'verdict' GLOB 'undecided*' AND v.o ->> 'name' <> doc ->> 'reference'
  AND (c.verdict LIKE 'holds%' OR c.verdict LIKE 'does not%') AND NOT EXISTS (SELECT 1 FROM sentence
                  WHERE chapter = 'results' AND instr(text, 'under Claims') AND instr(text, v.o ->> 'name'));

-- A claim of one of several collectives names it, and so does a headline where two that differ are shown.
SELECT 'a claim without its collective', s.o ->> 'claim' FROM one s JOIN one c ON c.tab = 'claims' AND instr(s.o ->> 'claim', c.o ->> 'text') = 1
WHERE s.tab = 'claims_short' AND NOT instr(s.o ->> 'claim', c.o ->> 'coll') AND (SELECT count(DISTINCT collective) > 1 FROM result) AND c.o ->> 'coll' NOT GLOB 'ddp_*' AND c.o ->> 'coll' NOT GLOB 'moe_*';
SELECT 'a headline of one collective of two', text FROM sentence JOIN one s ON s.tab = 'strip'
WHERE role = 'headline' AND NOT instr(text, s.o ->> 'of');

-- A headline of the strip is of the primary claim's variant, if that is faster there than its other one, the reference.
SELECT 'a headline of another variant than the claim''s', text FROM given, sentence, strip s JOIN one c ON c.tab = 'claims' AND c.o ->> 'left' = s.variant
WHERE chapter = 'strip' AND role = 'headline' AND instr(text, ' times as fast as ') AND s.verdict = '▲ faster' AND c.o ->> 'primary'
  AND c.o ->> 'right' = doc ->> 'reference' AND c.o ->> 'verdict' GLOB 'undecided*' AND NOT instr(text, s.variant || ' is ');

-- Where a page says that it cannot distinguish variants, it says why, and calls none faster or slower.
SELECT 'a doubt without its reason', text FROM sentence WHERE text LIKE '%cannot distinguish the variants.';
WITH doubt(at) AS (
  SELECT 'At ' FROM sentence WHERE text LIKE 'This run cannot distinguish%' UNION ALL
  SELECT substr(text, 1, instr(text, 'it cannot distinguish the variants') - 1) FROM sentence
  WHERE instr(text, 'it cannot distinguish the variants') BETWEEN 2 AND 60)
SELECT 'what it cannot distinguish', text FROM sentence, doubt
WHERE text GLOB at || '*' AND (instr(text, 'faster than') OR instr(text, 'slower than'));

-- Trust says which differences can be believed, wherever the reference was compared with itself, at each size; parts
-- of a training step are not compared. Regimes are the other way round there.
CREATE TABLE noise AS
SELECT o ->> 'believes' believes, o ->> '$.twin.estimate' twin,
       (SELECT max(far) FROM regime g JOIN line l ON l.pace = g.pace AND l.asked BETWEEN g.lo AND g.hi
        WHERE g.nth = (SELECT count(*) FROM regime) - 1 - one.nth) far
FROM one WHERE tab = 'noise';
SELECT 'an A/A line without its meaning', trust FROM noise, report
WHERE twin IS NOT NULL AND NOT instr(trust, ' can be believed');
SELECT 'a bound that a size exceeds', trust FROM noise, report
WHERE bound_of(believes) < 0.95 * (far - 1) -- two digits
  AND NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training');

-- On page 1 it has the bound of the strip's cell, which is the cell's among the results; the strip's verdicts are as it says.
SELECT 'trust is of another cell than the strip', trust FROM report, (SELECT * FROM strip LIMIT 1) s
WHERE instr(trust, 'differences above ') AND NOT (
  instr(replace(lower(trust), ' ', '_'), '._' || s.collective) AND EXISTS ( -- a step has its kind too
    SELECT 1 FROM line l WHERE l.what GLOB s.collective || '*' AND l.asked = s.bytes
      AND abs(bound_of(substr(trust, instr(trust, 'differences above '))) / (max(far, edge) - 1) - 1) < 0.05));
SELECT 'a verdict that cannot be believed', s.variant || ' ' || verdict
FROM report, strip s JOIN one n ON n.tab = 'cell_noise' AND n.o ->> 'coll' = s.collective
WHERE (instr(verdict, ' faster') OR instr(verdict, ' slower')) AND 0.99 * (max(s.lo, 1 / s.hi) - 1) < n.o ->> 'least'
   OR (instr(verdict, ' equal') AND n.o ->> 'least' > 1.01 * (edge - 1) OR instr(verdict, 'undecided') AND s.lo * edge > 1 AND s.hi < edge)
   AND (instr(verdict, ' equal') > 0) = NOT EXISTS (SELECT 1 FROM one c WHERE c.tab = 'claims' AND (c.o ->> 'left', c.o ->> 'right') = (s.variant, s.reference)
                  AND limit_of(c.o ->> 'test', 0) * edge > 0.999 AND limit_of(c.o ->> 'test', 1) < 1.001 * edge AND c.o ->> 'verdict' GLOB 'holds*'
                  AND s.bytes BETWEEN c.o ->> 'from_bytes' AND c.o ->> 'to_bytes' AND coalesce(c.o ->> 'coll', collective) = collective);

-- The strip's value of a cell is that of the results, if that is of this cell alone.
SELECT 'a cell with two values', s.o ->> 'variant'
FROM regime g
JOIN one v ON v.tab = 'verdicts_' || g.name
JOIN one s ON s.tab = 'strip' AND s.o ->> 'variant' = v.o ->> 'variant' AND s.o ->> 'bytes' = g.lo
          AND s.o ->> '$.speed.estimate' = v.o ->> '$.speed.estimate'
WHERE g.lo = g.hi AND s.o ->> 'coll' <> 'pingpong' -- of single calls; a step in ms
  AND abs((s.o ->> 'value') * iif(s.o ->> 'coll' GLOB '*_step', 1e3, 1) / (v.o ->> 'value') - 1) > 1e-5
  AND (SELECT count(*) FROM result r WHERE r.variant = s.o ->> 'variant' AND r.bytes = g.lo AND r.pace = g.pace) <= 1;

-- A file for a collective is shown by what it gains in that.
SELECT 'a file shown by another collective''s gain', o ->> 'best_file' FROM one
WHERE tab = 'finalists' AND o ->> 'best_file' LIKE 'nccl.%.conf' AND o ->> 'best_file' <> 'nccl.most.conf'
  AND instr(o ->> 'collective', replace(substr(o ->> 'best_file', 6), '.conf', '')) <> 1;
-- It is advised where no other file's set was faster at any of its sizes.
SELECT 'advice for a file that another one beats', text FROM sentence JOIN basis USING (id) JOIN one f USING (tab, nth)
JOIN one a ON a.o ->> 'set' = f.o ->> 'set' AND instr(text, 'If ' || (a.o ->> 'collective') || ' matters most')
JOIN one b ON (b.o ->> 'cell', b.o ->> 'asked_bytes') = (a.o ->> 'cell', a.o ->> 'asked_bytes') AND b.tab = a.tab
WHERE f.tab = 'finalists' AND a.tab = 'confirmation' AND b.o ->> '$.ratio.estimate' > a.o ->> '$.ratio.estimate'
  AND b.o ->> 'set' IN (SELECT o ->> 'set' FROM one WHERE tab = 'nccl_conf');

-- A figure that is open has its interval.
SELECT 'undecided without its interval', f.o ->> 'open'
FROM (SELECT count(*) n FROM one WHERE tab = 'tuned')
JOIN one t ON t.tab = 'confirmation' AND t.o ->> 'unproven' = 'undecided'
JOIN one f ON f.tab = 'finalists' AND f.nth = t.nth / n
WHERE NOT has_range(f.o ->> 'open', t.o ->> '$.ratio.lo', t.o ->> '$.ratio.hi')
   OR t.o ->> '$.ratio.hi' * (SELECT edge FROM report) < 1 AND NOT instr(f.o ->> 'open', 'probably slower');
SELECT 'undecided beyond its A/A line', s.variant FROM report, strip s JOIN line l ON l.what = s.collective AND l.asked = s.bytes
WHERE verdict = '? undecided' AND s.lo > max(edge, far) AND instr(trust, 'differences above')
  AND EXISTS (SELECT 1 FROM one WHERE tab = 'finalists');
SELECT 'cells that are not counted', text FROM sentence WHERE chapter = 'tuning' AND text GLOB '*undecided in [0-9]* cells*';

-- A set is slower where its whole interval is beyond the margin and its cell's A/A line, and nowhere else; its price has
-- that interval. Rows are set by set, each cell by cell.
WITH tested AS (
  SELECT f.o ->> 'price' price, t.o ->> 'slower' slower, t.o ->> '$.ratio.lo' lo, t.o ->> '$.ratio.hi' hi,
         max(edge, coalesce(max(u.o ->> '$.aa.hi', 1 / (u.o ->> '$.aa.lo')), 1)) far
  FROM report, (SELECT count(*) n FROM one WHERE tab = 'tuned') JOIN one t ON t.tab = 'confirmation'
  JOIN one u ON u.tab = 'tuned' AND u.nth = t.nth % n JOIN one f ON f.tab = 'finalists' AND f.nth = t.nth / n)
SELECT 'a price that its interval does not give', price FROM tested
WHERE iif(coalesce(hi * far < 1, 0), NOT has_range(price, lo, hi), coalesce(slower, '') <> '');

-- --- of sentences ------------------------------------------------------------------------------

-- A sentence with a range of sizes and a ratio says how far that goes from cell to cell: of each row, or of all that it
-- is of in one. Where rows have the ends of a mean's cells: "LO to HI" in words, or a spread; of the second kind one is
-- enough. What is a part of other sentences alone is not asked; of titles it is the whole.
CREATE TABLE whole AS SELECT * FROM sentence WHERE chapter = 'captions' OR roles > 1 OR role <> 'row';
CREATE TABLE ends AS
WITH key(key, kind) AS (VALUES ('each', 1), ('cells', 2), ('bandwidth_cells', 3), ('latency_cells', 4), ('speeds', 5), ('by_cell', 6)),
     named AS (SELECT id, text, kind, o, json_type(o, '$.' || key) IS NOT NULL known, coalesce(instr(text, o ->> 'apart'), 0) OR CASE json_type(o, '$.' || key)
                      WHEN 'text' THEN instr(text, o ->> key) > 0
                      WHEN 'object' THEN coalesce(has_range(text, o -> key ->> 'lo', o -> key ->> 'hi'), 1)
                      ELSE 1 END told, iif(key = 'each', coalesce(o ->> '$.each.lo', o ->> '$.each.estimate'), NULL) lo,
                      iif(key = 'each', coalesce(o ->> '$.each.hi', o ->> '$.each.estimate'), NULL) hi
               FROM whole JOIN basis USING (id) JOIN one USING (tab, nth), key),
     pair AS (SELECT id, text, o, max(known) known, max(told) told, min(lo) lo, max(hi) hi
              FROM named GROUP BY id, o, kind)
SELECT id, max(known) known, min(told) told, min(lo) lo, max(hi) hi FROM pair GROUP BY id, o ->> 'scope';

-- Titles of curves name the collective, unless there is one alone.
SELECT 'a title without its collective', text FROM whole JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE tab = 'caption_verdicts' AND o ->> 'label' NOT NULL AND NOT instr(text, o ->> 'collective') AND (SELECT count(DISTINCT o ->> 'collective') > 1 FROM one WHERE tab = 'caption_verdicts') AND NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training');

-- Titles of curves have the ends of each variant that they name, or of those that they count.
SELECT 'a title without its range', text FROM whole JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE tab = 'caption_verdicts' AND coalesce(o ->> 'kind', 0) <= 1 AND o ->> 'label' IS NOT NULL
  AND NOT has_range(text, coalesce(o ->> '$.speed.lo', o ->> '$.speed.value'), coalesce(o ->> '$.speed.hi', o ->> '$.speed.value'));
SELECT 'a mean without its range over cells', text FROM whole JOIN ends USING (id)
WHERE NOT told AND has_figure(text) AND NOT coalesce(has_range(text, lo, hi), 0);
SELECT 'a range that does not say over what', text FROM sentence WHERE has_bare_range(text);
SELECT 'a ratio without its size', text FROM sentence WHERE NOT place_told(role, text);
SELECT 'a ratio over sizes, whose range no row has', text FROM whole LEFT JOIN ends USING (id)
WHERE NOT coalesce(known, 0) AND has_ratio_over_sizes(text) AND NOT EXISTS (SELECT 1 FROM basis JOIN one USING (tab, nth)
                  WHERE basis.id = whole.id AND tab = 'caption_verdicts' AND json_type(o, '$.speed') = 'object');

-- A headline that calls its size equal or undecided names an effect of another one, if there is any, and the
-- collectives of its size where that was not shown; parts of a training step have no verdict, a disturbed run has none,
-- and placebos have a warning.
CREATE TABLE equal AS
SELECT text, instr(text, ' matched ') same, instr(text, ' times as fast') other FROM sentence
WHERE chapter = 'strip' AND (instr(text, ' matched ') OR instr(text, 'is unproven') OR instr(text, 'not proven'))
  AND NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training') AND NOT EXISTS (SELECT 1 FROM regime WHERE nth = 0 AND least = 'null');
SELECT 'a headline that hides an effect', text FROM equal, effect
WHERE NOT other AND role = 'variant' AND variant NOT IN (SELECT coalesce(o ->> 'to', '') FROM one WHERE tab = 'factors' AND o ->> 'placebo');
SELECT 'a headline without its exceptions', text FROM report, equal, result r
JOIN one s ON s.tab = 'strip' AND s.nth = 1 AND s.o ->> 'variant' = r.variant AND s.o ->> 'bytes' = r.bytes
WHERE same AND pace = 'stream' AND (lo * edge < 1 OR hi > edge) AND NOT text GLOB '* except [0-9]*' AND NOT instr(text, collective);

-- What compares answers with its figure.
SELECT 'a headline without a figure', text FROM sentence WHERE role = 'headline' AND EXISTS (SELECT 1 FROM strip) AND NOT has_figure(text) AND NOT text GLOB '*[0-9] [µm]*' AND NOT instr(text, 'GB/s') AND NOT EXISTS (SELECT 1 FROM one WHERE tab = 'training');

-- What a claim's setting does is said of each mode in which the file switches it.
SELECT 'a headline of one mode of several', text FROM sentence, one c JOIN one f ON f.tab = 'factors' AND (f.o ->> 'from', f.o ->> 'to') = (c.o ->> 'right', c.o ->> 'left')
JOIN one g ON g.tab = f.tab AND g.o ->> 'setting' = f.o ->> 'setting' AND replace(g.o ->> 'to', g.o ->> 'from', '') = replace(f.o ->> 'to', f.o ->> 'from', '')
WHERE chapter = 'tests' AND role = 'headline' AND c.tab = 'claims' AND c.o ->> 'primary' AND c.o ->> 'metric_name' = 'busbw' AND c.o ->> 'from_bytes' = c.o ->> 'to_bytes' AND g.o ->> 'verdict' IN ('faster', 'slower') AND NOT instr(text, g.o ->> 'from');

-- A headline by version is of the collective whose processes fall farthest behind, where that is not the only one.
WITH said AS (SELECT nth, o ->> 'cells' cells FROM one WHERE tab = 'versions_said' AND o ->> 'said' GLOB '*% of threads''*')
SELECT 'a headline milder than another collective', text FROM sentence, said
WHERE chapter = 'versions' AND role = 'headline' AND limit_of(cells, 0) = (SELECT min(limit_of(cells, 0)) FROM said)
  AND NOT has_range(text, limit_of(cells, 0), limit_of(cells, 1));

-- What moves a jump comes before where it is, and a search advises settings alone.
SELECT 'a headline without the cause', text FROM sentence
WHERE chapter = 'cliffs' AND role = 'headline' AND NOT instr(text, ' moves the jump: ') AND EXISTS (SELECT 1 FROM one WHERE tab = 'channels_moved');
SELECT 'what settings make moot', text FROM sentence
WHERE chapter = 'cliffs' AND role = 'advice' AND EXISTS (SELECT 1 FROM one WHERE tab = 'finalists');

-- What is recommended names the collectives in which it was shown, unless there are no others at its sizes.
SELECT 'advice without its exceptions', text FROM sentence
JOIN basis ON basis.rowid = (SELECT min(b.rowid) FROM basis b WHERE b.id = sentence.id)
JOIN one a ON a.tab = 'advice' AND a.nth = basis.nth
JOIN result r ON r.variant = a.o ->> 'to' AND r.asked >= coalesce(a.o ->> 'from_bytes', 0)
             AND r.asked <= coalesce(nullif(a.o ->> 'to_bytes', 0), 9e999)
WHERE chapter = 'advice' AND sentence.role = 'advice' AND NOT instr(text, a.o ->> 'collective')
  AND NOT EXISTS (SELECT 1 FROM one b WHERE b.tab = 'advice' AND b.o ->> 'what' = a.o ->> 'what'
                                        AND b.o ->> 'library' IS a.o ->> 'library' AND b.o ->> 'collective' = r.collective);

-- A claim on one of several collectives names it; ranks that are not as many as the GPUs are said where it says what can be believed.
SELECT 'a claim without its collective', text FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE tab = 'claims' AND role = 'answer' AND instr(text, ' times that of ') AND NOT instr(text, o ->> 'coll');
SELECT 'ranks that are not said', trust FROM report, one
WHERE tab = 'run' AND o ->> 'machine' LIKE '% × %' AND CAST(o ->> 'machine' AS int) <> o ->> 'ranks'
  AND NOT instr(trust, ', ' || (o ->> 'ranks') || iif(o ->> 'simulated' = o ->> 'ranks', ' simulated host', ' rank'));
SELECT 'an A/A line without its ranks', trust FROM report
WHERE instr(trust, '(A/A ') AND NOT instr(trust, '(A/A of ') AND (SELECT count(DISTINCT ranks) FROM result) > 1;

-- What is the same as another variant has no size of its own.
SELECT 'the same as another, and listed again', o ->> 'variant' FROM one WHERE tab = 'exceptions' AND o ->> 'variant' IN
  (SELECT v.o ->> 'name' FROM one v WHERE v.tab GLOB 'verdicts_*' AND v.o ->> 'idle' NOT NULL);

-- An advice names its first and its last size, which were measured; and it holds at each: against the reference the
-- mean of a size's results is a gain, or equal, and between the ends of the advice's sizes.
CREATE TABLE advised AS
SELECT text, instr(text, ' times the ') gains, o, o ->> 'from_bytes' first, o ->> 'to_bytes' last,
       coalesce(o ->> '$.each.lo', o ->> '$.each.value') least, coalesce(o ->> '$.each.hi', o ->> '$.each.value') most
FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth) WHERE tab = 'advice' AND chapter = 'advice' AND role <> 'row';
SELECT 'advice on sizes that were not measured', text FROM advised
WHERE NOT instr(text, o ->> 'sizes') OR 1 + coalesce(first < last, 1) > (SELECT count(DISTINCT asked) FROM result
                                       WHERE variant = o ->> 'to' AND collective = o ->> 'collective' AND asked IN (first, last));
SELECT 'advice that a size does not give', text FROM (
  SELECT text, gains, least, most, edge, avg(r.x) x, min(r.lo) lo, max(edge, l.far) far
  FROM report, advised JOIN result r ON r.variant = o ->> 'to' AND r.collective = o ->> 'collective'
    AND r.pace = iif(o ->> 'metric' = 'latency', 'isolated', 'stream') AND r.asked BETWEEN first AND coalesce(last, 9e999)
    JOIN line l ON (l.what, l.pace, l.asked) = (r.what, r.pace, r.asked)
  WHERE o ->> 'from' IN (SELECT variant FROM result WHERE role = 'reference') GROUP BY text, o, r.asked)
WHERE iif(gains, lo <= far, x * edge < 1 OR x > edge OR far > edge + 0.01)
   OR (x < least AND NOT is_near(x, least)) OR (x > most AND NOT is_near(x, most));

-- Nothing is advised that a claim cannot see, or that costs nothing; and a source's tally adds up to its lines.
SELECT 'advice to share what costs nothing', f.o ->> 'own' FROM one c JOIN one f USING (tab) WHERE tab = 'containers' AND f.o ->> 'verdict' GLOB 'no difference*'
  AND f.o ->> 'variant' NOT IN (SELECT coalesce(o ->> 'remedy', '') FROM one WHERE tab = 'containers')
  AND instr(c.o ->> 'gives', 'share ' || substr(f.o ->> 'own', 1, instr((f.o ->> 'own') || ' namespace', ' namespace') + 9));
WITH kind(key) AS (VALUES ('reproduced'), ('gone'), ('refuted'), ('undecided'), ('unfit'), ('unasked'), ('untested'))
SELECT 'a tally that does not add up', o ->> 'by' FROM one WHERE tab = 'sources' AND o ->> 'lines' <> (SELECT sum(coalesce(o ->> key, 0)) FROM kind);
SELECT 'advice on what a claim cannot see', s.o ->> 'of' FROM one s JOIN one a ON a.tab = 'advice' AND s.tab = 'source_lines'
  AND (instr(s.o ->> 'of', (a.o ->> 'to') || ' ÷ ' || (a.o ->> 'from')) OR instr(s.o ->> 'of', (a.o ->> 'from') || ' ÷ ' || (a.o ->> 'to')))
WHERE bound_of(substr(s.o ->> 'why', instr(s.o ->> 'why', 'differences under '))) > a.o ->> '$.ratio.estimate' - 1 AND instr(s.o ->> 'why', ' under ')
  AND s.o ->> 'of' GLOB iif(a.o ->> 'metric' = 'busbw', 'bus *', 'p50 *');

SELECT 'an advice twice', min(text) FROM sentence WHERE chapter = 'advice' AND role = 'advice' GROUP BY substr(text, 1, instr(text, ': ')) HAVING count(*) > 1;
SELECT 'a step whose modes are not compared', text FROM sentence WHERE chapter = 'training' AND role = 'headline' AND EXISTS (SELECT 1 FROM strip)
  AND NOT text GLOB '*no difference shown.' AND NOT text GLOB '* is [fs][al]*er*';

-- A gap is said at sizes at which advice on its two variants is; a headline of a claim at those that show its effect.
SELECT 'a gap at a size that does not show it', g.o ->> 'shown_at' FROM one g JOIN one a ON a.tab = 'advice' AND a.o ->> 'metric' = 'busbw'
WHERE g.tab = 'gap' AND (a.o ->> 'from', a.o ->> 'to') = (g.o ->> 'from', g.o ->> 'to') AND (a.o ->> 'to_bytes') <> (g.o ->> 'to_bytes');
SELECT 'a headline at a size that does not show it', c.o ->> 'of' FROM report, given, one c JOIN one f ON f.tab = 'claims' AND f.o ->> 'primary' AND f.o ->> 'verdict' GLOB 'holds*'
JOIN result r ON r.variant = c.o ->> 'left' AND r.collective = coalesce(f.o ->> 'coll', r.collective) AND r.asked BETWEEN c.o ->> 'from' AND c.o ->> 'to'
JOIN line l ON (l.what, l.pace, l.asked) = (r.what, iif(f.o ->> 'metric_name' = 'latency', 'isolated', 'stream'), r.asked) AND r.pace = l.pace
WHERE c.tab = 'claim_answer' AND c.o ->> 'right' = doc ->> 'reference' AND max(r.lo, 1 / r.hi) <= max(edge, far);

-- What one size is shown to do another way is no verdict of a title; a source's figure of other sizes than its first has them.
SELECT 'a title that its sizes do not agree on', text FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE tab = 'caption_verdicts' AND o ->> 'kind' = 6 AND NOT instr(text, ' differ');
SELECT 'a figure of other sizes', l.o ->> 'found' FROM one l
JOIN one f ON f.rowid = (SELECT min(rowid) FROM one g WHERE g.tab = l.tab AND g.o ->> 'source' IS l.o ->> 'source')
WHERE l.tab = 'source_lines' AND l.o ->> 'found' GLOB '*, [0-9]*' AND l.o ->> 'of' GLOB '* at [0-9]*' AND NOT instr(l.o ->> 'found', ' at ')
  AND NOT instr(l.o ->> 'of', substr(f.o ->> 'of', instr(f.o ->> 'of', ' at '), instr(f.o ->> 'of', ', ') - instr(f.o ->> 'of', ' at ')));

-- What cells disagree on is said with the least and the greatest of them.
SELECT 'cells that differ and are not named', text FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth)
WHERE chapter = 'results' AND role = 'answer' AND o ->> 'verdict' GLOB 'differs: *' AND NOT instr(replace(text, ' times as fast', ''), substr(o ->> 'verdict', 10));

-- What is called equal over sizes names the collectives, or the sizes of one, at which it is not shown.
WITH over(text, name, least, most, of) AS (
  SELECT text, o ->> 'variant', lo, hi, o ->> 'collective' FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth) JOIN regime ON name = 'large' AND o ->> 'pace' = 'stream'
  WHERE tab = 'caption_verdicts' AND o ->> 'kind' IN (2, 3, 4) UNION ALL
  SELECT text, a.o ->> 'to', a.o ->> 'from_bytes', coalesce(nullif(a.o ->> 'to_bytes', 0), 9e999), iif(instr(text, a.o ->> 'collective'), a.o ->> 'collective', NULL)
  FROM given, sentence JOIN basis USING (id) JOIN one b USING (tab, nth) JOIN one a ON a.tab = b.tab AND (a.o ->> 'what', a.o ->> 'scope') = (b.o ->> 'what', b.o ->> 'scope')
  WHERE chapter = 'advice' AND instr(text, 'by convenience') AND a.o ->> 'from' = doc ->> 'reference' UNION ALL
  SELECT text, o ->> 'name', lo, hi, NULL FROM sentence JOIN basis USING (id) JOIN one USING (tab, nth) JOIN regime ON tab = 'verdicts_' || name
  WHERE chapter = 'results' AND pace = 'stream' AND o ->> 'verdict' GLOB 'no difference*')
SELECT 'equal without its exceptions', text FROM report, over JOIN result r ON variant = name AND r.asked BETWEEN least AND most AND collective = coalesce(of, collective)
JOIN line l ON (l.what, l.pace, l.asked) = (r.what, r.pace, r.asked)
WHERE r.pace = 'stream' AND (r.lo * edge < 0.9999 OR r.hi > 1.0001 * edge OR far > 1.0001 * edge) AND instr(text, 'within') + instr(text, 'by convenience')
  AND NOT instr(substr(text, instr(text || 'not proven ', 'not proven ')), iif(instr(text, 'not proven at '), 'at', collective));
