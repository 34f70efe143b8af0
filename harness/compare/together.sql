-- What all runs say together of a question that several answer, in the words of the first of them.
CREATE TABLE together AS
WITH answered AS (
  SELECT min(rowid) first, pooled(ratio, ratio_lo, ratio_hi, ratio_blocks, confidence, by, times) c
  FROM said GROUP BY question HAVING count(*) > 1),
judged AS (
  SELECT *, iif(kind = 'claim', claim_judged(test, by, times, c, 0, 0), NULL) o
  FROM answered JOIN said ON said.rowid = first),
family AS (
  SELECT *, o ->> 'outcome' outcome, iif(is_primary, o ->> 'p', min(1, (o ->> 'p')
         * count(o ->> 'p') FILTER (WHERE NOT is_primary) OVER ())) p_adjusted
  FROM judged),
ended AS ( -- with the interval that decided
  SELECT *, outcome NOT IN ('undecided', 'untested') AND p_adjusted > alpha alone,
         kind = 'claim' AND (test <> 'within' OR outcome = 'holds') bound
  FROM family, given)
SELECT question, kind, (o ->> 'verdict') || iif(alone, ' (taken alone)', '') outcome, claim, text,
       o ->> 'limits' test, is_primary, o ->> 'p' p, p_adjusted, c ->> 'scatter' scatter,
       c ->> 'runs' runs, c ->> 'blocks' blocks, c ->> 'ratio' ratio,
       iif(bound, c ->> 'bound_lo', c ->> 'lo') ratio_lo,
       iif(bound, c ->> 'bound_hi', c ->> 'hi') ratio_hi, c ->> 'blocks' ratio_blocks,
       iif(bound, c ->> 'bound_confidence', c ->> 'confidence') confidence, c ->> 'next' next,
       c ->> 'next_lo' next_lo, c ->> 'next_hi' next_hi, c ->> 'blocks' next_blocks
FROM ended ORDER BY first;

-- With what its first run says; line: how far the reference is from itself in a regime.
CREATE VIEW lined AS
WITH first AS (SELECT question, twin, regime, min(rowid) FROM said GROUP BY question),
line AS (SELECT regime, max(max(ratio_hi, 1 / ratio_lo)) - 1 line, ratio_lo > 1 OR ratio_hi < 1 off
         FROM together JOIN first USING (question) WHERE twin AND kind = 'regime' GROUP BY regime)
SELECT t.*, twin, margin, max(line, margin) line, iif(off, margin, line) little,
       l.regime IS NULL OR ifnull(line <= margin, 0) tells,
       verdict_word(ratio_lo, ratio_hi, margin) word
FROM given, together t JOIN first f USING (question)
LEFT JOIN line l ON l.regime = f.regime AND NOT twin;

-- Its verdict. part: of the page: different, undecided, no difference; limit: it is not counted.
CREATE VIEW pooled AS
SELECT *, iif(kind = 'claim', outcome,
              verdict_said(heard, json_object('ratio', ratio, 'lo', ratio_lo, 'hi', ratio_hi,
                                              'blocks', ratio_blocks, 'confidence', confidence),
                           0, margin, detectable(ratio_lo, ratio_hi,
                                                 iif(heard = word, margin, line)), 0))
       verdict,
       CASE WHEN kind = 'claim' THEN NULL WHEN twin THEN 'limit'
            WHEN heard IN ('undecided', 'no difference') THEN heard ELSE 'different' END part
FROM (SELECT *, verdict_heard(word, ratio_lo, ratio_hi, tells, line, little) heard FROM lined);
