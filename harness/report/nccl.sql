-- A run as the tables of nccl-tests' programs: names, columns and counts are those of its 2.19.6
-- (src/common.cu, src/util.cu). `wanted`, one row, has the average.

-- Its programs, as far as their columns differ. parts: the count is of one rank's part; redop: what
-- is shown as the operation; NULL: the one that is done.
CREATE TEMP VIEW program AS
SELECT column1 coll, column2 parts, column3 redop FROM (VALUES
  ('all_reduce', 0, NULL), ('all_gather', 1, 'none'), ('alltoall', 1, 'none'),
  ('alltoallv', 1, 'none'), ('broadcast', 0, 'none'), ('gather', 1, 'none'),
  ('hypercube', 1, ''), ('reduce', 0, NULL), ('reduce_scatter', 1, NULL),
  ('scatter', 1, 'none'), ('sendrecv', 0, 'sum'));

-- The members of the run's environment that are lists or objects.
CREATE TEMP VIEW listed AS
SELECT e.key, m.key at, m.value, m.type
FROM environment e, json_each(iif(json_valid(e.value), e.value, '[]')) m;

-- Places of tables: of stream calls, or of isolated ones if there are no others. first: the table's
-- first group, width: bytes of its elements; lines: the group out of place, or in place if that is
-- all.
CREATE TEMP VIEW tabled AS
SELECT p.*, iif(p.coll IN (SELECT coll FROM program), ifnull(redop, op), 'none') shown_op,
       iif(p.rooted, root, -1) shown_root, elements / iif(parts, comm_ranks, 1) count,
       first_value(bytes / elements) OVER (PARTITION BY coll, ranks, comm_ranks ORDER BY grp) width,
       min(grp) OVER (PARTITION BY coll, ranks, comm_ranks) first,
       min(grp) OVER (PARTITION BY coll, ranks, comm_ranks, dtype, op, root) lines
FROM place p LEFT JOIN program USING (coll)
WHERE pace = iif('stream' IN (SELECT pace FROM place WHERE NOT is_limit), 'stream', 'isolated');

-- A half of a line; bandwidths follow the time.
CREATE TEMP TABLE half AS
WITH timed AS (SELECT r.*, average, CASE average
                 WHEN '0' THEN time_rank0_us WHEN '1' THEN time_mean_us WHEN '2' THEN time_min_us
                 WHEN '3' THEN time_max_us WHEN 'span' THEN time_us ELSE launch_us END us
               FROM result r JOIN known USING (variant) JOIN wanted WHERE asked)
SELECT t.*, variant, wrong, CAST(round(row_us / time_us) AS INTEGER) calls,
       busbw_gbs * (time_us / us) busbw,
       printf('{"%s":%s,"alg_bw":%s,"bus_bw":%s,"nwrong":%s}',
              iif(average = 'launch', 'cpu_time', 'time'), quote(us),
              iif(algbw_gbs NOT NULL, quote(algbw_gbs * (time_us / us)), '"nan"'),
              iif(busbw_gbs NOT NULL, quote(busbw_gbs * (time_us / us)), '"nan"'),
              iif(wrong NOT NULL, wrong || '.0', 'null')) figures
FROM timed JOIN tabled t ON t.id = place
WHERE us > 0;

-- A line, of both halves.
CREATE TEMP TABLE line AS
SELECT variant, first, lines, bytes, moved_bytes, count, dtype, shown_op, shown_root,
       max(figures) FILTER (WHERE NOT in_place) out_of_place,
       max(figures) FILTER (WHERE in_place) in_place
FROM half
GROUP BY variant, first, lines, bytes;

-- The range of sizes that was typed last, whose first ones may come to 0 and whose steps may not
-- meet the last.
CREATE TEMP VIEW typed AS
WITH word AS (SELECT value text FROM listed WHERE key = 'command' AND value LIKE 'bytes=%'
              ORDER BY at DESC LIMIT 1),
     ends AS (SELECT substr(text, 7, instr(text, '..') - 7) typed FROM word UNION ALL
              SELECT substr(text, instr(text, '..') + 2) FROM word)
SELECT CAST(CAST(typed AS REAL) * CASE upper(substr(ltrim(typed, ' .0123456789'), 1, 1))
              WHEN 'K' THEN 1 << 10 WHEN 'M' THEN 1 << 20 WHEN 'G' THEN 1 << 30 ELSE 1 END
            AS INTEGER) asked_bytes
FROM word, ends WHERE text LIKE '%..%' AND text NOT LIKE '%,%';

-- From one size of a group to the next, if it is the same for all.
CREATE TEMP VIEW stepped AS
WITH pair AS (SELECT grp, asked_bytes a, lead(asked_bytes) OVER (PARTITION BY grp ORDER BY nth) b
              FROM place)
SELECT grp first, iif(count(DISTINCT b / a) = 1 AND NOT sum(b % a), min(b / a), NULL) factor,
       iif(count(DISTINCT b - a) = 1, min(b - a), NULL) step
FROM pair WHERE b NOT NULL GROUP BY grp;

-- A variant's settings, as nccl-tests counts them; none if this program does not know them.
CREATE TEMP VIEW counted AS
SELECT variant, max(1, max(value + 0) FILTER (WHERE key = 'aggregate')) together,
       max(value + 0) FILTER (WHERE key = 'graph') graph,
       max(value + 0) FILTER (WHERE key = 'offset') offset,
       max(value = 'parallel') FILTER (WHERE key = 'init') parallel_init,
       max(CASE value WHEN 'local' THEN 1 WHEN 'window' THEN 2 ELSE 0 END)
         FILTER (WHERE key = 'register') registers,
       max(CASE value WHEN 'default' THEN 0 WHEN 'efficiency' THEN 1 WHEN 'zero' THEN 2 ELSE -1 END)
         FILTER (WHERE key = 'cta_policy') cta_policy,
       max(value) FILTER (WHERE key = 'split') split
FROM setting GROUP BY variant;

-- A table: a variant's figures of a collective, whatever datatype, operation and root, with its
-- options. Our calls are all calls, nccl-tests' iterations are replays of a group.
CREATE TEMP TABLE tables AS
WITH measured AS (SELECT variant, first, max(calls) calls, max(wrong NOT NULL) checked,
                         sum(wrong > 0) wrong, avg(busbw) busbw
                  FROM half GROUP BY variant, first),
     sized AS (SELECT first, coll, ranks, pace = 'isolated' waits, width,
                      min(asked_bytes) least, max(asked_bytes) most,
                      group_concat(DISTINCT dtype) dtypes, group_concat(DISTINCT op) ops,
                      group_concat(DISTINCT shown_root) roots
               FROM (SELECT * FROM tabled ORDER BY first, grp) GROUP BY first)
SELECT m.variant, first, coll, s.ranks, v.name, v.role, v.mode, v.layout, v.backend, library,
       average, substr(v.layout, instr(v.layout, 'x') + 1) + 0 threads,
       substr(v.layout, length(rtrim(v.layout, '0123456789')) + 1) + 0 gpus, checked,
       ifnull(wrong, 0) wrong, busbw, waits, ifnull(together, 1) together, ifnull(graph, 0) graph,
       ifnull(offset, 0) / width unalign, ifnull(parallel_init, 0) parallel_init,
       ifnull(registers, 0) registers, ifnull(cta_policy, -1) cta_policy, split,
       ifnull(factor, 0) factor, ifnull(step, 0) step, dtypes, ops, roots, blocks,
       min(least, ifnull((SELECT min(asked_bytes) FROM typed WHERE asked_bytes), least)) least,
       max(most, ifnull((SELECT max(asked_bytes) FROM typed), most)) most,
       iif(waits, isolated_calls, calls / max(ifnull(graph, 0), 1) / ifnull(together, 1)) iters,
       iif(version(library) < 20900, version(library) / 10000 * 1000 + version(library) % 10000,
           version(library)) version,
       (SELECT max(value) + 0 FROM environment WHERE key = 'warmup') warmup
FROM measured m JOIN sized s USING (first) JOIN variant v ON v.id = m.variant
JOIN known k ON k.variant = m.variant LEFT JOIN counted c ON c.variant = m.variant
LEFT JOIN stepped USING (first), given, wanted;

-- What a worker said of its device: "NVIDIA H200 at 0000:00:06.0".
CREATE TEMP TABLE said_device AS
SELECT variant, key, value, instr(value, ' at ') at,
       iif(instr(value, ' at '), substr(value, instr(value, ' at ') + 4), NULL) pci,
       min(trial * 4096 + worker)
FROM fact JOIN trial ON trial.id = trial
WHERE key LIKE 'device_%' AND typeof(value) = 'text'
GROUP BY variant, key;

-- A table's ranks, each with its device: its number among the machine's, and its split's group.
CREATE TEMP VIEW ranked AS
WITH RECURSIVE n(rank) AS (SELECT 0 UNION ALL
                           SELECT rank + 1 FROM n WHERE rank < (SELECT max(ranks) FROM tables)),
     host AS (SELECT max(value) host FROM environment WHERE key = 'machine.host')
SELECT t.variant, first, rank, ifnull(host, '') host,
       CASE substr(split, 1, instr(split, ':') - 1)
         WHEN 'AND' THEN rank & substr(split, 5) WHEN 'OR' THEN rank | substr(split, 4)
         WHEN 'MOD' THEN rank % substr(split, 5) WHEN 'DIV' THEN rank / substr(split, 5)
         ELSE 0 END colour,
       ifnull((SELECT min(l.at) FROM listed l WHERE l.key = 'machine.gpus'
               AND iif(type = 'object', json_extract(l.value, '$.pci'), NULL) = d.pci), -1) number,
       ifnull(substr(pci, 1, instr(pci || '.', '.') - 1), '-') pci,
       ifnull(iif(pci NOT NULL, substr(value, 1, at - 1), value), t.backend) device
FROM tables t JOIN n ON rank < t.ranks, host
LEFT JOIN said_device d ON d.variant = t.variant AND d.key = 'device_' || rank;

-- What is printed above its ranks, and below them; pids are not in a record.
CREATE TEMP VIEW head AS
SELECT variant, first, (SELECT json_group_array(column1) FROM (VALUES
  ('# nccl-tests version 2.19.6+launchgap nccl-headers=0 nccl-library=' || version
   || ' its columns only: measured and printed by launchgap '
   || replace(ifnull((SELECT value FROM environment WHERE key = 'launchgap'), ''), ' ', '_')),
  ('# times are medians over stretches, then over ' || blocks || ' block'
   || iif(blocks = 1, '', 's') || '; ' || iif(checked, 'every byte is checked; ', '')
   || 'pids are not recorded'),
  ('# variant=' || replace(name, ' ', '_') || ' role=' || role
   || ' mode=' || replace(mode, ' ', '_') || ' layout=' || replace(layout, ' ', '_')
   || ' backend=' || replace(backend, ' ', '_')
   || ' library=' || replace(iif(library > '', library, '-'), ' ', '_') || ' average=' || average
   || ' collective=' || coll || ' dtype=' || dtypes || ' op=' || ops || ' root=' || roots),
  ('# Collective test starting: ' || coll || '_perf'),
  (printf('# nThread %d nGpus %d minBytes %d maxBytes %d step: %d(%s) warmup iters: %d iters: %d '
          || 'agg iters: %d validation: %d graph: %d unalign: %d', threads, gpus, least, most,
          iif(factor, factor, step), CASE WHEN factor THEN 'factor'
          WHEN step OR least = most THEN 'bytes' ELSE 'list' END, warmup, iters, together, checked,
          graph, unalign)),
  (iif(waits, '# Blocking Enabled: wait and barrier after each inner iteration (-m) ', NULL)),
  ('#'), ('# Using devices')) WHERE column1 NOT NULL) head
FROM tables;

CREATE TEMP VIEW columns AS
WITH half AS (SELECT '  ' || printf('%7s', iif(average = 'launch', 'cputime', 'time'))
                     || '   algbw   busbw  #wrong' names,
                     '     (us)  (GB/s)  (GB/s)        ' units
              FROM wanted)
SELECT json_array('#',
         '#' || printf('%51s', '')
             || '           out-of-place                       in-place          ',
         '#       size         count      type   redop    root' || names || names || ' ',
         '#        (B)    (elements)                          ' || units || units || ' ')
       columns
FROM half;

-- How its program would have been called.
CREATE TEMP VIEW called AS
SELECT variant, first, (SELECT json_group_array(column1) FROM (VALUES
    (coll || '_perf'), ('-t' || threads), ('-g' || gpus), ('-b' || least), ('-e' || most),
    (iif(factor, '-f' || factor, '-i' || step)), ('-n' || iters), ('-w' || warmup),
    (iif(average < 'a', '-a' || average, NULL)), (iif(together <> 1, '-m' || together, NULL)),
    (iif(parallel_init, '-p1', NULL)), (iif(waits, '-z1', NULL)), (iif(graph, '-G' || graph, NULL)),
    (iif(registers, '-R' || registers, NULL)), (iif(cta_policy >= 0, '-x' || cta_policy, NULL)),
    (iif(unalign, '-u' || unalign, NULL)), (iif(average = 'launch', '-C1', NULL)))
    WHERE column1 NOT NULL) args,
  json_object(
    'nthreads', threads, 'ngpus', gpus, 'minimum_bytes', least, 'maximum_bytes', most,
    iif(factor, 'step_factor', 'step_bytes'), iif(factor, factor, step), 'warmup_iters', warmup,
    'iterations', iters, 'aggregated_iterations', together, 'validation', checked, 'graph', graph,
    'blocking_collectives', iif(waits, 'true', 'false'),
    'per_iter_timing', 'false', 'per_iter_skip', 0,
    'parallel_init', iif(parallel_init, 'true', 'false'),
    'devices', (SELECT json_group_array(json_object(
                  'rank', rank, 'group', colour, 'pid', 0, 'hostname', host, 'device', number,
                  'device_hex', pci, 'device_info', device))
                FROM (SELECT * FROM ranked r WHERE r.variant = t.variant AND r.first = t.first
                      AND rank % (threads * gpus) = 0 ORDER BY rank))) config
FROM tables t;

-- Its lines.
CREATE TEMP VIEW results AS
SELECT variant, first, (SELECT json_group_array(json_object(
    'size', moved_bytes, 'count', count, 'type', dtype, 'redop', shown_op,
    'root', printf('%6d', shown_root), 'out_of_place', json(out_of_place),
    'in_place', json(in_place), 'actual_iterations', iters, 'experiment_name', ''))
  FROM (SELECT * FROM line l WHERE l.variant = t.variant AND l.first = t.first
        ORDER BY lines, bytes)) results
FROM tables t;

-- What its -J writes, in the file's version 3; `printed` are lines above the results.
CREATE TEMP VIEW document AS
SELECT variant, first, json_object(
  'version', 3, 'start_time',
  (SELECT substr(max(value), 1, 10) || ' ' || substr(max(value), 12, 8) FROM environment
   WHERE key = 'created'),
  'args', json(args),
  'env', (SELECT json_group_array(at || '=' || value) FROM listed
          WHERE key = 'machine.environment' AND type = 'text'),
  'nccl_version', version, 'config', json(config), 'results', json(results),
  'out_of_bounds', json_object('count', wrong, 'okay', iif(wrong, 'false', 'true')),
  'average_bus_bandwidth', json(printf('{"bandwidth":%s,"okay":"unchecked"}',
                                       iif(busbw NOT NULL, quote(busbw), '"nan"'))),
  'errors', json('[]'), 'end_time', (SELECT datetime(max(written_s), 'unixepoch') FROM trial),
  'launchgap', json_object('record', NULL, 'variant', name, 'layout', layout, 'backend', backend,
                           'average', average),
  'printed', json_array(
    json(head),
    (SELECT json_group_array(printf('#  Rank %2d Group %2d Pid      0 on %10s device %2d [%s] %s',
                                    rank, colour, replace(host, ' ', '_'), number,
                                    replace(pci, ' ', '_'), device))
     FROM (SELECT * FROM ranked r WHERE r.variant = t.variant AND r.first = t.first ORDER BY rank)),
    json(columns))) document
FROM tables t JOIN head USING (variant, first) JOIN called USING (variant, first)
JOIN results USING (variant, first) JOIN columns;
