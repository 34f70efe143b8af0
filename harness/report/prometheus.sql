-- A run as gauges in the text format of Prometheus (version 0.0.4): a row is a line. Base units; a
-- family's samples are together, each with the same labels. What is not known is left out.
WITH said AS (
  SELECT max(value) FILTER (WHERE key = 'experiment') experiment,
         max(value) FILTER (WHERE key = 'backend') backend,
         max(value) FILTER (WHERE key = 'launchgap') launchgap,
         max(value) FILTER (WHERE key = 'reference') reference,
         max(value) FILTER (WHERE key = 'ranks') ranks,
         max(value) FILTER (WHERE key = 'created') created
  FROM environment
), family(name, about) AS (VALUES
  ('run_info', 'What was measured, by which commit; always 1.'),
  ('run_created_timestamp_seconds', 'When the run began, in seconds since 1970.'),
  ('run_blocks', 'Whole blocks: fresh jobs of every variant.'),
  ('run_valid', 'Whether all variants did the same work; if not, there are no figures.'),
  ('run_warnings', 'Warnings of the report.'),
  ('call_seconds', 'Time per call, median over blocks.'),
  ('call_low_seconds', 'Time per call, lower quartile over blocks.'),
  ('call_high_seconds', 'Time per call, upper quartile over blocks.'),
  ('call_p99_seconds', '99th percentile of isolated calls, median over blocks.'),
  ('bus_bandwidth_bytes_per_second', 'Bus bandwidth, as nccl-tests defines it.'),
  ('algorithm_bandwidth_bytes_per_second', 'Size of a call by its time.'),
  ('speed_ratio', 'Speed compared with the reference, below 1 is slower.'),
  ('speed_low_ratio', 'Speed compared with the reference, below 1 is slower: lower end of the interval.'),
  ('speed_high_ratio', 'Speed compared with the reference, below 1 is slower: upper end of the interval.'),
  ('failed_trials', 'Trials of the cell that have no time.'),
  ('regime_speed_ratio', 'Speed over a range of sizes compared with the reference.'),
  ('regime_speed_low_ratio',
   'Speed over a range of sizes compared with the reference: lower end of the interval.'),
  ('regime_speed_high_ratio',
   'Speed over a range of sizes compared with the reference: upper end of the interval.'),
  ('regime_verdict_info', 'The verdict on a variant in a range of sizes; always 1.')
), sample(labels, figures) AS (
  SELECT json_object('backend', backend, 'launchgap', launchgap, 'reference', reference,
                     'ranks', ranks),
         json_object('run_info', 1) FROM said
  UNION ALL
  SELECT '{}', json_object('run_created_timestamp_seconds', strftime('%s', created) + 0,
                           'run_blocks', blocks, 'run_valid', trouble IS NULL,
                           'run_warnings', warnings)
  FROM said, given, exported
  UNION ALL
  SELECT json_object('variant', name, 'mode', mode, 'role', role, 'collective', coll, 'what', what,
                     'dtype', dtype, 'op', iif(op = 'none', '', op),
                     'in_place', iif(in_place, 'yes', 'no'), 'pace', pace, 'root', root,
                     'ranks', p.ranks, 'bytes', asked_bytes),
         json_object('call_seconds', time_us / 1e6, 'call_low_seconds', time_us_lo / 1e6,
                     'call_high_seconds', time_us_hi / 1e6, 'call_p99_seconds', p99_us / 1e6,
                     'bus_bandwidth_bytes_per_second', busbw_gbs * 1e9,
                     'algorithm_bandwidth_bytes_per_second', algbw_gbs * 1e9,
                     'speed_ratio', ratio, 'speed_low_ratio', ratio_lo,
                     'speed_high_ratio', ratio_hi, 'failed_trials', failed)
  FROM result r JOIN place p ON p.id = place JOIN variant v ON v.id = r.variant, given
  WHERE trouble IS NULL
  UNION ALL
  SELECT json_object('variant', v.name, 'role', role, 'regime', r.name, 'metric', metric),
         json_object('regime_speed_ratio', speed, 'regime_speed_low_ratio', speed_lo,
                     'regime_speed_high_ratio', speed_hi)
  FROM speed s JOIN regime r ON r.nth = regime JOIN variant v ON v.id = variant, given
  WHERE trouble IS NULL AND speed NOT NULL
  UNION ALL
  SELECT json_object('variant', v.name, 'role', role, 'regime', r.name, 'metric', metric,
                     'verdict', word), json_object('regime_verdict_info', 1)
  FROM speed s JOIN regime r ON r.nth = regime JOIN variant v ON v.id = variant, given
  WHERE trouble IS NULL AND speed NOT NULL
), labelled AS MATERIALIZED (
  SELECT figures, (SELECT group_concat(key || '="' || replace(replace(replace(value, '\', '\\'),
                                       '"', '\"'), char(10), '\n') || '"', ',')
                   FROM (SELECT 'experiment' key, experiment value FROM said
                         UNION ALL SELECT key, value FROM json_each(labels))) text
  FROM sample
), line AS (
  SELECT key, printf('launchgap_%s{%s} %.12g', key, text, value) text
  FROM labelled, json_each(figures) WHERE value NOT NULL
)
SELECT '# HELP launchgap_' || name || ' ' || about || char(10) || '# TYPE launchgap_' || name
       || ' gauge' || char(10) || (SELECT group_concat(text, char(10)) FROM line WHERE key = name)
FROM family
WHERE name IN (SELECT key FROM line)
