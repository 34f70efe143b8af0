-- What several chapters ask.

-- The verdicts that have an interval, and all intervals.
CREATE VIEW judged_in_all AS
SELECT judged verdicts, judged + (SELECT count(ratio_lo) FROM result) intervals
FROM (SELECT (SELECT count(iif(effect = 'both', 1, speed_lo)) FROM speed)
             + (SELECT count(p) FROM claimed c, given WHERE c.blocks >= least_blocks)
             + (SELECT count(bandwidth_lo) + count(latency_lo) FROM factor)
             + (SELECT count(ratio_lo) FROM gap_whole) + (SELECT count(speed_lo) FROM gap_step)
             + (SELECT count(ratio_lo) FROM version_side) judged);

-- Variants that the experiment's file asks for.
CREATE VIEW asked AS
SELECT * FROM variant WHERE role NOT IN ('again', 'limit');

-- A row if there are more ranks than cores.
CREATE VIEW oversubscribed AS
SELECT value cores FROM environment
WHERE key = 'machine.cores' AND value > 0 AND value < (SELECT max(ranks) FROM place);

-- A verdict with its shape, as strips have it.
CREATE VIEW verdict_mark(effect, verdict) AS
VALUES ('reference', 'reference'), ('faster', '▲ faster'), ('slower', '▼ slower'),
       ('as fast', '= equal'), ('undecided', '? undecided'), ('not confirmed', '? not confirmed'),
       ('not tested', '? not tested');

-- What a variant is at a place, against the reference, and of another version against that one's
-- own. Sentences that call variants equal name the collectives or sizes with another word here.
CREATE VIEW effect_at AS
SELECT r.place, variant, f.id against, ratio, effect
FROM result r JOIN variant f ON f.role = 'reference'
UNION ALL
SELECT part, variant, against, speed, short_word FROM asked_found WHERE finding = 'own';

-- The farther end of a cell's A/A line; and the farthest of a regime's cells.
CREATE VIEW aa_at AS
SELECT p.*, max(ratio_hi, 1 / ratio_lo) far
FROM place p JOIN result ON place = p.id JOIN variant v ON v.id = variant
WHERE role = 'again';
CREATE VIEW noisiest AS
SELECT g.nth, max(far) - 1 far
FROM regime g JOIN aa_at p ON p.pace = g.pace AND asked_bytes BETWEEN from_bytes AND to_bytes
WHERE NOT of_step
GROUP BY g.nth;

-- A size of a contrast over several, and whether each cell of it shows an effect: beyond the margin
-- and its A/A line. And the most neighbours that do: sentences on effects name no other sizes.
CREATE VIEW shown_size AS
SELECT asked, p.asked_bytes, min(ratio) least, max(ratio) most,
       min(max(lo, 1 / hi) > max(1 + margin, coalesce(far, 1))) shown
FROM contrast_cell JOIN place p ON p.id = base LEFT JOIN aa_at a ON a.id = base, given
GROUP BY asked, p.asked_bytes
UNION ALL -- of a variant in a picture
SELECT p.grp || '/' || variant, p.asked_bytes, ratio, ratio,
       max(ratio_lo, 1 / ratio_hi) > max(1 + margin, coalesce(far, 1))
FROM result JOIN place p ON p.id = place
JOIN regime g ON g.name = iif(p.pace = 'stream', 'large', 'small')
  AND p.asked_bytes BETWEEN g.from_bytes AND g.to_bytes
LEFT JOIN aa_at a ON a.id = place, given
WHERE ratio_lo NOT NULL;
CREATE VIEW shown_span AS
SELECT *, estimate(least) || coalesce(' to ' || nullif(estimate(most), estimate(least)), '') ends,
       max(many + to_bytes / 9e18)
FROM (SELECT asked, min(asked_bytes) from_bytes, max(asked_bytes) to_bytes, min(least) least,
             max(most) most, count(*) many
      FROM (SELECT *, row_number() OVER (PARTITION BY asked ORDER BY asked_bytes)
                      - row_number() OVER (PARTITION BY asked, shown ORDER BY asked_bytes) island
            FROM shown_size)
      WHERE shown GROUP BY asked, island)
GROUP BY asked;

-- Plain copies are a limit, and no variant that is judged.
CREATE VIEW plain_copies AS
SELECT variant FROM setting WHERE (key, value) = ('api', 'copies');

-- What cells differ by, of one size and of several.
CREATE VIEW by_what(one_size, by_what) AS
SELECT 0, iif(count(DISTINCT what) > 1, 'by collective and size', 'by size')
FROM place WHERE NOT is_limit
UNION ALL SELECT 1, 'by collective';

-- Settings in which a variant differs from the reference.
CREATE VIEW own_key AS
SELECT d.variant, key, d.rowid nth
FROM differs d JOIN variant r ON r.id = other AND r.role = 'reference';

-- A worker of a trial, MiB.
CREATE VIEW worker_memory AS
SELECT variant, buffers / 1048576 buffers, communicator / 1048576 communicator,
       registration / 1048576 registration, calls / 1048576 calls, peak_bytes / 1048576 process
FROM worker_figure w JOIN trial t ON t.id = w.trial;

-- A variant's channels, other than the reference's: those of sends, or else of collectives.
CREATE VIEW more_channels AS
SELECT m.variant, iif(m.p2p = d.p2p, nullif(m.coll, d.coll), m.p2p) sms,
       iif(m.p2p = d.p2p, d.coll, d.p2p) default_sms
FROM path_members m, path_members d JOIN variant v ON v.id = d.variant
WHERE v.role = 'reference';

-- GPU memory of a rank, more than the reference's; what buffers take aside.
CREATE VIEW more_memory AS
WITH held AS (SELECT variant, median(communicator) + median(calls) mib
              FROM worker_memory GROUP BY variant)
SELECT w.variant, w.mib - d.mib memory_mib
FROM held w, held d JOIN variant v ON v.id = d.variant
WHERE v.role = 'reference';

-- Cells of the timed pass, with their variant and block.
CREATE VIEW timed AS
SELECT cell.*, variant, block FROM cell JOIN trial ON trial.id = cell.trial
WHERE pass = 'timed' AND error IS NULL;

-- What a variant's first worker said first.
CREATE VIEW first_fact AS
SELECT variant, key, value, min(trial) trial
FROM fact JOIN trial ON trial.id = fact.trial
WHERE worker = 0 AND value <> ''
GROUP BY variant, key;

-- Results of those variants in a communicator of all ranks. short: the smallest size of isolated
-- calls; long: of a stream; large: its largest.
CREATE VIEW outcome AS
SELECT r.*, p.*, pace = 'isolated' AND nth = 1 short, pace = 'stream' AND nth = 1 long,
       pace = 'stream' AND nth = sizes large
FROM result r JOIN known USING (variant) JOIN place p ON p.id = r.place
WHERE measured AND asked AND blocks AND whole AND NOT is_limit;

-- Of a collective in a variant its latency, and its bandwidth at the largest size.
CREATE VIEW extreme AS
SELECT variant, coll, root, sender, receiver, min(grp) grp,
       max(p50_us) FILTER (WHERE short) p50_us, max(p95_us) FILTER (WHERE short) p95_us,
       max(p95_us_lo) FILTER (WHERE short) p95_us_lo, max(p95_us_hi) FILTER (WHERE short) p95_us_hi,
       max(p99_us) FILTER (WHERE short) p99_us, max(p99_us_lo) FILTER (WHERE short) p99_us_lo,
       max(p99_us_hi) FILTER (WHERE short) p99_us_hi, max(bytes) FILTER (WHERE short) small_bytes,
       max(time_us) FILTER (WHERE long) stream_us, max(busbw_gbs) FILTER (WHERE large) gbs,
       max(busbw_gbs_lo) FILTER (WHERE large) gbs_lo, max(busbw_gbs_hi) FILTER (WHERE large) gbs_hi,
       max(1e3 * time_us / elements) FILTER (WHERE large) element_ns,
       max(bytes) FILTER (WHERE large) bytes
FROM outcome
GROUP BY variant, coll, dtype, op, in_place, root, ranks;

-- The same of a pair of ranks, in the first of several datatypes.
CREATE VIEW of_pair AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY variant, coll, root ORDER BY grp) nth
               FROM extreme WHERE sender NOT NULL)
WHERE nth = 1;

-- The claims that are about one version of the library, and the place among those that ask the same
-- of the same variants.
CREATE VIEW claim_of_version AS
SELECT c.id, question, l.id left_variant, r.id right_variant, lk.library,
       row_number() OVER (PARTITION BY question, l.id, r.id ORDER BY c.id) nth
FROM claimed c JOIN variant l ON l.name = left_name JOIN variant r ON r.name = right_name
JOIN known lk ON lk.variant = l.id JOIN known rk ON rk.variant = r.id
WHERE lk.library = rk.library AND lk.library <> '';

-- Claims that ask the same of variants that differ in the library alone, where all are about two
-- versions. other: the id of the other one.
CREATE VIEW claim_counterpart AS
SELECT a.id, min(b.id) other
FROM claim_of_version a JOIN claim_of_version b USING (question, nth)
WHERE a.library <> b.library
  AND (SELECT count(DISTINCT library) FROM claim_of_version) = 2
  AND NOT EXISTS (SELECT 1 FROM differs WHERE key <> 'nccl' AND (variant, other) IN (
                    VALUES (a.left_variant, b.left_variant), (a.right_variant, b.right_variant)))
GROUP BY a.id;

-- The claims. pair: the same for both of a pair; newer: 1: of the newer version; version: of the
-- claim, if any are paired.
CREATE TABLE claim AS
SELECT c.*, coalesce(min(c.id, other), c.id) pair, coalesce(two AND library = last, 0) newer,
       iif(two, iif(library = last, last, first), NULL) version, estimate(ratio) estimate,
       effect(detectable) effect
FROM claimed c LEFT JOIN claim_counterpart USING (id) LEFT JOIN claim_of_version USING (id),
     (SELECT EXISTS (SELECT 1 FROM claim_counterpart) two,
             (SELECT library FROM claim_of_version ORDER BY version(library) LIMIT 1) first,
             (SELECT library FROM claim_of_version ORDER BY version(library) DESC LIMIT 1) last)
ORDER BY c.id;

-- What a headline is of: the primary claim; if it is decided, another that is, in its family, of
-- its metric, collective and sizes. A gap and containers have their own headline.
CREATE VIEW first_claim AS
SELECT c.*
FROM claim p JOIN claim c USING (metric, from_bytes, to_bytes)
WHERE p.is_primary AND (c.id = p.id OR c.coll IS p.coll AND c.source = '' AND NOT c.alone
                        AND 'undecided' NOT IN (c.outcome, p.outcome)
                        AND NOT EXISTS (SELECT 1 FROM asked_gap)
                        AND NOT EXISTS (SELECT 1 FROM setting
                                        WHERE key = 'isolate' AND value NOT IN ('none', '')))
ORDER BY c.is_primary DESC, c.id
LIMIT 2;

-- Claims, whether each is decided, in the family of all but the primary one, and confirmed in it.
CREATE VIEW family_claim AS
SELECT *, outcome NOT IN ('undecided', 'untested') decided, NOT is_primary AND p NOT NULL member,
       outcome NOT IN ('undecided', 'untested') AND NOT is_primary AND NOT alone confirmed
FROM claim;

-- The same in words. figure: its ratio, and how far that goes from cell to cell; sizes: of these;
-- share: of the gap, of a step between its variants that explains; ways: its variants' data paths;
-- unseen: what an undecided one cannot see, or its limit, edge, if that is beyond the margin; mark:
-- of a verdict that is taken alone.
CREATE VIEW claim_in_words AS
WITH known_way AS (SELECT name, data_path FROM way JOIN variant ON id = variant
                   WHERE data_path IN ('staged', 'direct'))
SELECT c.*, left_name || iif(left_coll = '', '', ' ' || left_coll) left_side,
       right_name || iif(right_coll = '', '', ' ' || right_coll) right_side,
       iif(l.data_path = r.data_path, 'both ' || l.data_path,
           left_name || ' ' || l.data_path || ', ' || right_name || ' ' || r.data_path) ways,
       CASE WHEN apart THEN 'not proven in each of its cells'
            WHEN edge BETWEEN ratio_lo AND ratio_hi
            THEN 'limit ' || estimate(edge) || ' is inside its interval'
            WHEN edge AND noise THEN 'its interval is nearer to the limit ' || estimate(edge)
                                     || ' than A/A shows (' || effect(noise) || ')'
            ELSE 'differences under ' || effect || ' cannot be seen' END unseen,
       (SELECT of_gap FROM gap_step JOIN variant a ON a.id = from_variant
        JOIN variant b ON b.id = to_variant
        WHERE counts AND metric = 'busbw' AND (left_name, right_name) IN
              (VALUES (a.name, b.name), (b.name, a.name))) share,
       iif(alone, ' (taken alone)', '') mark, by_what,
       iif(apart, substr(verdict, 12),
           nullif(coalesce(estimate || iif(by_cell IS NULL, '', '; '), '')
                  || coalesce(by_cell || ' ' || by_what, ''), '')) figure,
       iif(whole OR NOT cells, NULL, size(from_bytes, to_bytes)) sizes
FROM (SELECT f.*, outcome = 'undecided' AND ratio IS NULL AND by_cell NOT NULL apart,
             (SELECT nullif(least_effect, margin) FROM regime g WHERE g.name = f.regime) noise,
             iif(by <= margin AND NOT times OR kind = 'within', NULL,
                 iif(times, times, 1) * iif(kind = 'more', 1 + by, 1 / (1 + by))) edge
      FROM family_claim f, given) c
LEFT JOIN known_way l ON by_path AND l.name = left_name
LEFT JOIN known_way r ON by_path AND r.name = right_name
LEFT JOIN by_what ON one_size = (from_bytes = to_bytes);

-- Sizes that are judged together, or all if none are: others may drift by themselves.
CREATE VIEW watched_place AS
SELECT * FROM place p
WHERE NOT is_limit AND (NOT EXISTS (SELECT 1 FROM regime) OR EXISTS (
  SELECT 1 FROM regime g
  WHERE g.pace = p.pace AND p.asked_bytes BETWEEN g.from_bytes AND g.to_bytes));

-- A trial over these of a group: x, the mean logarithm of its time against its variant's median
-- there: 0.02 is 2 % slower than usual. nth, own: its place among all, and among its variant's.
-- Connections and allocations differ by factors, as jobs do; cycles do not.
CREATE TABLE trial_off AS
SELECT *, row_number() OVER (PARTITION BY grp ORDER BY ord, block) nth,
       row_number() OVER (PARTITION BY grp, variant ORDER BY ord, block) own
FROM (SELECT grp, t.variant, block, ord, avg(log_us - ln(time_us)) x
      FROM (SELECT place, variant, block, ord,
                   iif(max(connection + allocation), avg(ln(time_ns)), ln(avg(time_ns)))
                   - ln(1000) log_us
            FROM cell_place JOIN cell c ON c.id = cell JOIN trial ON trial.id = trial
            WHERE pass = 'timed' AND error IS NULL AND time_ns > 0
            GROUP BY place, variant, block) t
      JOIN result USING (variant, place) JOIN watched_place p ON p.id = place
      JOIN variant v ON v.id = t.variant
      WHERE role <> 'limit'
      GROUP BY grp, t.variant, block);

-- The load of a step's experts, by its exponent.
CREATE VIEW routing AS
SELECT id place, iif(root % 1024, 'Zipf ' || (root % 1024 / 10.0), 'even routing') routing
FROM place;

-- What page 1 is of: the largest gain of a search; a size of the primary claim; the shortest call
-- of a collective that leads, as pingpong does by itself; else the size next to 64 MiB, of the
-- collective that differs most between versions or the first, in the regime that answers first.
CREATE VIEW led AS
SELECT id FROM place
WHERE (coll, pace, nth) = (SELECT coalesce(max(value), 'pingpong'), 'isolated', 1
                           FROM environment WHERE key = 'leads')
GROUP BY coll HAVING count(*) = 1;
CREATE VIEW anchor AS
SELECT p.*, g.tells, g.least_effect, g.nth regime,
       CASE p.coll WHEN 'ddp_step' THEN 'DDP step, ' || dtype -- a step by its kind
                   WHEN 'moe_step' THEN 'MoE step, ' || dtype || ', ' || routing
                   ELSE p.coll END named
FROM place p JOIN result r ON r.place = p.id JOIN known k USING (variant) JOIN routing USING (place)
LEFT JOIN regime g ON g.pace = p.pace AND p.asked_bytes BETWEEN g.from_bytes AND g.to_bytes
LEFT JOIN (SELECT place, max(expect) gain FROM finalist_cell GROUP BY place) f ON f.place = p.id
LEFT JOIN claim c ON is_primary AND c.ratio NOT NULL AND c.pace = p.pace
  AND coalesce(c.coll, p.coll) = p.coll AND p.bytes BETWEEN c.from_bytes AND c.to_bytes
WHERE r.ratio_lo NOT NULL AND (judged OR p.id IN (SELECT id FROM led)) AND k.asked
  AND (gain NOT NULL OR g.nth NOT NULL)
ORDER BY gain DESC NULLS LAST, third, c.id IS NULL, p.id IS NOT (SELECT id FROM led), g.nth DESC,
         p.coll IS NOT (SELECT coll FROM version_worst), coll_nth, abs(ln(p.bytes / 67108864.0)),
         p.bytes DESC
LIMIT 1;

-- The same size of another collective that shows the opposite of a variant, the farthest first. And
-- page 1's places; far: that one.
CREATE VIEW opposed AS
SELECT p.*, a.regime, a.least_effect, e.variant
FROM anchor a JOIN effect_at e ON e.place = a.id
JOIN place p ON (p.pace, p.asked_bytes) = (a.pace, a.asked_bytes) AND p.judged
JOIN effect_at o ON (o.place, o.variant, o.against) = (p.id, e.variant, e.against)
WHERE 'faster slower' IN (e.effect || ' ' || o.effect, o.effect || ' ' || e.effect)
ORDER BY abs(ln(o.ratio)) DESC;
CREATE VIEW page_place AS
SELECT id place, 0 far, named, coll, bytes, ranks, regime, least_effect FROM anchor
UNION ALL
SELECT * FROM (SELECT id, 1, coll, coll, bytes, ranks, regime, least_effect FROM opposed LIMIT 1);
