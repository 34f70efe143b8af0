-- The evidence: what each variant's log proves of its path and its settings, and what counters saw.

-- The members of a variant's path. The twin has no own job for the log, and takes the
-- reference's.
CREATE VIEW path_members AS
WITH source AS (
  SELECT v.id variant, r.name twin_of,
         iif(v.role = 'again' AND v.id NOT IN (SELECT variant FROM path)
             AND r.id IN (SELECT variant FROM path), r.id, v.id) source
  FROM variant v LEFT JOIN variant r ON r.role = 'reference')
SELECT s.*, source <> s.variant is_twin,
       max(value) FILTER (WHERE key = 'transport') transport,
       max(value) FILTER (WHERE key = 'links') links,
       max(value) FILTER (WHERE key = 'registered') registered,
       max(value) FILTER (WHERE key = 'registered_why') registered_why,
       max(value) FILTER (WHERE key = 'copy_engine') copy_engine,
       max(value) FILTER (WHERE key = 'data_path') data_path,
       max(value) FILTER (WHERE key = 'why') why, max(value) FILTER (WHERE key = 'pairs') pairs,
       max(value) FILTER (WHERE key = 'p2p_channels' AND value > 0) p2p,
       max(value) FILTER (WHERE key = 'p2p_channels_per_peer') peer,
       max(value) FILTER (WHERE key = 'coll_channels') coll,
       max(value) FILTER (WHERE key = 'p2p_chunk_bytes' AND value > 0) chunk,
       max(value) FILTER (WHERE key = 'algorithms') algorithms
FROM source s LEFT JOIN path p ON p.variant = source GROUP BY s.variant;

-- The same in words.
CREATE TABLE way AS
SELECT variant, coalesce(iif(transport = '', 'none', transport), '') transport,
       coalesce(json_array_length(links), '') links, coalesce(data_path, '') data_path,
       coalesce(iif(registered, 'yes', 'no')
                || iif(registered_why = '', '', ': ' || registered_why), '') registered,
       iif(copy_engine IS NULL, '', iif(copy_engine, 'yes', 'no')) copy_engine,
       coalesce(p2p || ' p2p, ' || coalesce(peer, 0) || ' a peer; ' || coalesce(coll, 0)
                || ' coll', '') channels,
       coalesce(chunk, '') chunk, coalesce(algorithms, '') algorithms,
       coalesce((SELECT value FROM fact JOIN trial ON trial.id = fact.trial
                 WHERE trial.variant = m.variant AND worker = 0 AND key = 'launched_ctas'
                 ORDER BY trial.id LIMIT 1), '') launched,
       iif(is_twin, 'as ' || twin_of || ', its original', coalesce(why, '')) why,
       iif(is_twin, '', coalesce(pairs, '')) mixed
FROM path_members m;

-- What the library made of a variant's setting: capped, ignored … fact: the figure of its path
-- that it acts on; called: as people write a variable.
CREATE TABLE acted AS
SELECT variant, s.value ->> 'key' setting, s.value ->> 'asked' asked, s.value ->> 'used' used,
       s.value ->> 'act' act, s.value ->> 'why' why, s.value ->> 'fact' fact,
       replace(s.value ->> 'key', 'env.', '') called
FROM path p, json_each(p.value) s
WHERE p.key = 'settings' AND EXISTS (SELECT 1 FROM path t
                                     WHERE t.variant = p.variant AND t.key = 'transport')
ORDER BY variant, s.key;

-- What the library chose for a variant's calls at a place, by its log: the first that fits. It
-- counts bytes by the call's count, of a collective of parts one rank's.
CREATE TABLE choice AS
SELECT variant, place, algorithm, protocol, channels
FROM (SELECT c.*, r.place, row_number() OVER (PARTITION BY r.variant, r.place ORDER BY c.nth) first
      FROM (SELECT variant, c.key nth, lower(c.value ->> 'collective') collective,
                   c.value ->> 'bytes' bytes, c.value ->> 'algorithm' algorithm,
                   c.value ->> 'protocol' protocol, c.value ->> 'channels' channels
            FROM path p, json_each(p.value) c WHERE p.key = 'choices') c
      JOIN result r USING (variant) JOIN known k USING (variant) JOIN place p ON p.id = r.place
      WHERE asked AND collective = replace(coll, '_', '')
        AND coll IN ('all_reduce', 'all_gather', 'reduce_scatter', 'broadcast', 'reduce')
        AND c.bytes * iif(coll IN ('all_gather', 'reduce_scatter'), comm_ranks, 1) = p.bytes)
WHERE first = 1
ORDER BY variant, place;

-- A variant's setting next to another variant that has a log too. figure: of the other one;
-- same: it is this one's.
CREATE VIEW acted_against AS
SELECT a.*, o.variant other, t.value figure,
       coalesce(h.value = t.value AND h.value NOT IN (0, '') AND (fact <> 'algorithms' OR (
         SELECT value FROM path WHERE variant = a.variant AND key = 'choices') IS (
         SELECT value FROM path WHERE variant = o.variant AND key = 'choices')), 0) same
FROM acted a JOIN path o ON o.key = 'transport'
LEFT JOIN path h ON h.variant = a.variant AND h.key = fact
LEFT JOIN path t ON t.variant = o.variant AND t.key = fact;

-- Why a setting did nothing compared with the other variant; nothing: it may have acted.
CREATE VIEW idle_against AS
SELECT a.variant, other, setting key,
       CASE WHEN act = 'ignored' THEN iif(setting GLOB 'env.*', called || ' is ignored (NCCL '
                                          || library || ' did not read it)', why)
            WHEN NOT same THEN NULL
            WHEN act <> 'capped' THEN called || ' is ' || used || ' anyhow'
            ELSE called || ' is capped to ' || used
                 || iif((other, setting) IN (SELECT variant, setting FROM acted), '',
                        ', as by default') END why
FROM acted_against a JOIN known k ON k.variant = a.variant;

-- Variants that are the same as another, idle_as: none of at most 8 settings acted in which they
-- differ. Compared with the reference, else with the first that it is the same as.
CREATE TABLE same_as AS
SELECT variant, idle, idle_as
FROM (SELECT d.variant, group_concat(why, ', and ') idle, o.name idle_as,
             row_number() OVER (PARTITION BY d.variant ORDER BY role <> 'reference', o.id) nth
      FROM (SELECT * FROM differs ORDER BY rowid) d
      LEFT JOIN idle_against i ON (i.variant, i.other, i.key) = (d.variant, d.other, d.key)
      JOIN variant o ON o.id = d.other JOIN known k ON k.variant = o.id
      JOIN known own ON own.variant = d.variant
      WHERE own.asked AND (role = 'reference' OR k.measured AND k.asked)
        AND d.variant <> coalesce((SELECT id FROM variant WHERE role = 'reference'), -1)
      GROUP BY d.variant, d.other
      HAVING count(why) = count(*) AND count(*) <= 8)
WHERE nth = 1;

-- A variant's setting that did nothing compared with the reference: it was not read, its figure is
-- the reference's, another setting makes it, or the same cap would apply to the reference's.
CREATE TABLE idle AS
SELECT *
FROM (SELECT variant, setting key,
             CASE WHEN act = 'ignored' THEN why
                  WHEN same THEN 'used ' || used || ', as by default'
                  WHEN act <> 'capped' THEN NULL
                  WHEN actor NOT NULL THEN 'used ' || used || ', for ' || actor || ' says so'
                  WHEN asked > figure AND used_n < figure
                  THEN 'used ' || used || ': ' || why || ', and so would be the default''s '
                       || figure END why
      FROM (SELECT a.variant, setting, act, same, used, why, CAST(asked AS INTEGER) asked,
                   CAST(used AS INTEGER) used_n, CAST(figure AS INTEGER) figure,
                   (SELECT o.called FROM acted o WHERE o.variant = a.variant AND o.act = 'as asked'
                    AND o.fact = a.fact AND a.fact <> '' ORDER BY o.rowid LIMIT 1) actor
            FROM acted_against a JOIN variant r ON r.id = other AND r.role = 'reference'))
WHERE why NOT NULL;

-- What became of a factor's setting, where it cannot have done what it asks for: by the side that
-- has it, or by the thread blocks that both launched in calls larger than the smallest.
CREATE TABLE factor_acted AS
WITH sides AS (SELECT f.id factor, f.setting, b.id "from", t.id "to"
               FROM factor f JOIN variant b ON b.name = before JOIN variant t ON t.name = after),
has AS (SELECT s.*, iif(("to", setting) IN (SELECT variant, setting FROM acted), "to", "from") own
        FROM sides s)
SELECT factor,
       CASE WHEN same THEN setting || ' changes nothing: ' || said || '; without it the same'
            WHEN act = 'capped' THEN setting || ' is not as asked: ' || said
            WHEN act = 'ignored' THEN setting || ' changes nothing: ' || said END acted
FROM (SELECT a.*, factor, 'asked ' || asked
             || iif(act = 'ignored', ': ' || why, ', used ' || iif(used = '', 'as asked', used)
                    || iif(why = '', '', ': ' || why)) said
      FROM has h JOIN acted_against a
      ON (a.variant, a.other, a.setting) = (own, iif(own = "to", "from", "to"), h.setting))
UNION ALL
SELECT factor, setting || ' changes nothing: thread blocks launched, ' || t.launched
               || '; without it the same'
FROM has h JOIN way t ON t.variant = "to" JOIN way b ON b.variant = "from"
WHERE setting IN ('call_ctas', 'min_ctas', 'max_ctas', 'cta_policy') AND t.launched <> ''
  AND t.launched = b.launched AND (own, setting) NOT IN (SELECT variant, setting FROM acted)
  AND NOT EXISTS (SELECT 1 FROM cell JOIN trial ON trial.id = trial
                  WHERE pass = 'timeline' AND error IS NULL AND variant IN ("from", "to")
                  GROUP BY variant, coll HAVING min(bytes) = max(bytes));

-- A cell of pass counters, one rank's figures.
CREATE VIEW cell_rank_counter AS
SELECT cell, rank, variant, place,
       max(value) FILTER (WHERE key = 'nvlink_tx_gbs') nvlink_tx_gbs,
       max(value) FILTER (WHERE key = 'nvlink_rx_gbs') nvlink_rx_gbs,
       max(value) FILTER (WHERE key = 'dram_gbs') dram_gbs,
       max(value) FILTER (WHERE key = 'dram_limit_gbs') dram_limit_gbs,
       max(value) FILTER (WHERE key = 'sm_percent') sm_percent,
       max(value) FILTER (WHERE key = 'busy_percent') busy_percent,
       max(value) FILTER (WHERE key = 'memory_busy_percent') memory_busy_percent,
       max(value) FILTER (WHERE key = 'pcie_tx_gbs') pcie_tx_gbs,
       max(value) FILTER (WHERE key = 'pcie_rx_gbs') pcie_rx_gbs,
       max(value) FILTER (WHERE key = 'copied_bytes') copied_bytes,
       max(value) FILTER (WHERE key = 'delivered_bytes') delivered_bytes,
       max(value) FILTER (WHERE key = 'issue_cores') issue_cores,
       max(value) FILTER (WHERE key = 'seconds') seconds
FROM counter JOIN cell_place USING (cell) JOIN cell c ON c.id = cell JOIN trial ON trial.id = trial
WHERE pass = 'counters' AND error IS NULL
GROUP BY cell, rank;

-- The same of all its ranks: means, and nothing where one of them has none.
CREATE VIEW cell_counter AS
SELECT cell, variant, place,
       iif(count(nvlink_tx_gbs) = count(*), avg(nvlink_tx_gbs), NULL) nvlink_tx_gbs,
       iif(count(nvlink_rx_gbs) = count(*), avg(nvlink_rx_gbs), NULL) nvlink_rx_gbs,
       iif(count(dram_gbs) = count(*), avg(dram_gbs), NULL) dram_gbs,
       iif(count(dram_limit_gbs) = count(*), avg(dram_limit_gbs), NULL) dram_limit_gbs,
       iif(count(sm_percent) = count(*), avg(sm_percent), NULL) sm_percent,
       iif(count(pcie_tx_gbs) = count(*), avg(pcie_tx_gbs), NULL) pcie_tx_gbs,
       iif(count(copied_bytes) = count(*), sum(copied_bytes), NULL)
       / iif(count(delivered_bytes) = count(*), nullif(sum(delivered_bytes), 0), NULL) copies,
       sum(issue_cores) issue_cores
FROM cell_rank_counter GROUP BY cell;

-- The model of counters (core/counters.h) at a place: DRAM bytes per byte over NVLink, of
-- collectives made of sends and receives, where every rank sends as much as it receives.
CREATE VIEW traffic AS
SELECT id place, 2 + own direct, 4 + own staged
FROM (SELECT id, iif(coll = 'alltoall', 2.0 / (comm_ranks - 1), 0) own
      FROM place WHERE coll IN ('alltoall', 'sendrecv', 'sendrecv_both') AND comm_ranks > 1);

-- A variant's counters at a place: medians over the blocks that have them. model: of the path that
-- its log says, direct and staged of both where it does not; copies_model: of the path that the
-- host's workers took.
CREATE TABLE counted AS
WITH middle AS (
  SELECT variant, place, count(*) blocks, median(nvlink_tx_gbs) nvlink_tx_gbs,
         median(nvlink_rx_gbs) nvlink_rx_gbs, median(dram_gbs) dram_gbs,
         median(dram_limit_gbs) dram_limit_gbs,
         median(dram_gbs / iif(nvlink_tx_gbs > 0, nvlink_tx_gbs, NULL)) dram_per_nvlink,
         median(sm_percent) / 100 sm_busy, median(pcie_tx_gbs) pcie_tx_gbs, median(copies) copies,
         median(issue_cores) issue_cores
  FROM cell_counter GROUP BY variant, place),
modelled AS (
  SELECT *, iif(data_path = 'direct', direct, iif(data_path = 'staged', staged, NULL)) model
  FROM middle LEFT JOIN traffic USING (place) LEFT JOIN way USING (variant))
SELECT row_number() OVER (ORDER BY place, variant) - 1 id, variant, place, blocks,
       nvlink_tx_gbs, nvlink_rx_gbs,
       nvlink_tx_gbs / (SELECT max(limit_gbs) FROM result r WHERE r.place = m.place) of_limit,
       dram_gbs, dram_gbs / dram_limit_gbs dram_of_peak, dram_per_nvlink,
       iif(nvlink_tx_gbs NOT NULL, model, NULL) model,
       iif(nvlink_tx_gbs NOT NULL AND model IS NULL, direct, NULL) direct,
       iif(nvlink_tx_gbs NOT NULL AND model IS NULL, staged, NULL) staged,
       iif(nvlink_tx_gbs NOT NULL AND model > dram_per_nvlink, model - dram_per_nvlink, NULL)
       cached, sm_busy, pcie_tx_gbs, copies,
       iif(said_path <> '' AND copies NOT NULL, iif(said_path = 'fifo', staged, direct) / 2, NULL)
       copies_model, issue_cores
FROM modelled m LEFT JOIN known USING (variant);

-- The same of one rank; blocks: that have any figure but the stretch's length, seconds.
CREATE TABLE counted_rank AS
SELECT c.id counted, rank,
       count(coalesce(r.nvlink_tx_gbs, r.nvlink_rx_gbs, r.dram_gbs, dram_limit_gbs, sm_percent,
                      busy_percent, memory_busy_percent, r.pcie_tx_gbs, pcie_rx_gbs, copied_bytes,
                      delivered_bytes, r.issue_cores)) blocks,
       median(r.nvlink_tx_gbs) nvlink_tx_gbs, median(r.nvlink_rx_gbs) nvlink_rx_gbs,
       median(r.dram_gbs) dram_gbs, median(dram_limit_gbs) dram_limit_gbs,
       median(r.dram_gbs / iif(r.nvlink_tx_gbs > 0, r.nvlink_tx_gbs, NULL)) dram_per_nvlink,
       median(sm_percent) sm_percent, median(busy_percent) busy_percent,
       median(memory_busy_percent) memory_busy_percent, median(r.pcie_tx_gbs) pcie_tx_gbs,
       median(pcie_rx_gbs) pcie_rx_gbs, median(copied_bytes) copied_bytes,
       median(delivered_bytes) delivered_bytes,
       median(copied_bytes / nullif(delivered_bytes, 0)) copies_per_byte,
       median(r.issue_cores) issue_cores, median(seconds) seconds
FROM cell_rank_counter r JOIN counted c USING (variant, place)
GROUP BY c.id, rank;

-- A host of a trial on several, of as many as the first trial of its variant that was measured.
CREATE VIEW met AS
WITH trial_met AS (
  SELECT cell, variant, max(host) + 1 hosts, first_value(cell) OVER own first,
         first_value(max(host) + 1) OVER own first_hosts
  FROM meeting JOIN cell c ON c.id = cell JOIN trial ON trial.id = trial
  WHERE error IS NULL GROUP BY cell WINDOW own AS (PARTITION BY variant ORDER BY cell))
SELECT variant, first, hosts, host,
       max(value) FILTER (WHERE key = 'clock_offset_ns') offset_ns,
       max(value) FILTER (WHERE key = 'clock_drift_ppm') drift_ppm,
       max(value) FILTER (WHERE key = 'clock_bound_ns') bound_ns,
       max(value) FILTER (WHERE key = 'round_trip_ns') round_trip_ns,
       max(value) FILTER (WHERE key = 'meets') meets, max(value) FILTER (WHERE key = 'late') late,
       max(value) FILTER (WHERE key = 'late_ns') late_ns,
       max(value) FILTER (WHERE key = 'margin_ns') margin_ns
FROM trial_met JOIN meeting USING (cell)
WHERE hosts = first_hosts
GROUP BY cell, host;

-- A host of a variant over its trials, by what its first worker said. Offset, drift and margin are
-- medians, bound and late the most, the round trip the least. Against the first host's clock, which
-- itself has none of these, and alone a margin: from the decision to the release.
CREATE TABLE host AS
SELECT m.variant, host, c.ranks / hosts ranks,
       (SELECT substr(value, 1, instr(value || ' ', ' ') - 1) FROM fact f
        WHERE f.trial = c.trial AND f.key = 'host'
          AND worker = host * (v.processes * v.threads / hosts)) name,
       iif(host, median(offset_ns / 1e9), NULL) offset_s,
       iif(host, median(drift_ppm) + 0.0, NULL) drift_ppm,
       max(bound_ns) / 1e3 bound_us, iif(host, min(round_trip_ns) / 1e3, NULL) round_trip_us,
       sum(meets) meets, 1.0 * sum(late) / nullif(sum(meets), 0) late, max(late_ns) / 1e3 late_us,
       iif(host, NULL, median(margin_ns / 1e3)) margin_us
FROM met m JOIN variant v ON v.id = m.variant JOIN cell c ON c.id = first
GROUP BY m.variant, host;
