-- What a run found in the forms of other programs: a view for each, whose rows are a file's lines.
-- `exported`, one row, has what the tables lack: how many warnings there are.

CREATE TEMP VIEW said AS
SELECT max(value) FILTER (WHERE key = 'experiment') experiment,
       max(value) FILTER (WHERE key = 'backend') backend,
       max(value) FILTER (WHERE key = 'launchgap') launchgap,
       max(value) FILTER (WHERE key = 'reference') reference,
       max(value) FILTER (WHERE key = 'ranks') ranks,
       max(value) FILTER (WHERE key = 'created') created
FROM environment;

-- In the record's order (CROSS JOIN keeps it); none if the variants did not do the same work.
CREATE TEMP VIEW shown_cell AS
SELECT r.*, p.*, v.name, v.mode, role, backend, library, asked
FROM result r CROSS JOIN place p ON p.id = place CROSS JOIN variant v ON v.id = r.variant
CROSS JOIN known ON known.variant = r.variant CROSS JOIN given
WHERE trouble IS NULL;

-- Prometheus, text format 0.0.4: gauges in base units.
CREATE TEMP VIEW family AS
SELECT column1 name, column2 || coalesce(column3, '') about FROM (VALUES
  ('run_info', 'What was measured, by which commit; always 1.', NULL),
  ('run_created_timestamp_seconds', 'When the run began, in seconds since 1970.', NULL),
  ('run_blocks', 'Whole blocks: fresh jobs of every variant.', NULL),
  ('run_valid', 'Whether all variants did the same work; if not, there are no figures.', NULL),
  ('run_warnings', 'Warnings of the report.', NULL),
  ('call_seconds', 'Time per call, median over blocks.', NULL),
  ('call_low_seconds', 'Time per call, lower quartile over blocks.', NULL),
  ('call_high_seconds', 'Time per call, upper quartile over blocks.', NULL),
  ('call_p99_seconds', '99th percentile of isolated calls, median over blocks.', NULL),
  ('bus_bandwidth_bytes_per_second', 'Bus bandwidth, as nccl-tests defines it.', NULL),
  ('algorithm_bandwidth_bytes_per_second', 'Size of a call by its time.', NULL),
  ('speed_ratio', 'Speed compared with the reference, below 1 is slower', '.'),
  ('speed_low_ratio', 'Speed compared with the reference, below 1 is slower',
   ': lower end of the interval.'),
  ('speed_high_ratio', 'Speed compared with the reference, below 1 is slower',
   ': upper end of the interval.'),
  ('failed_trials', 'Trials of the cell that have no time.', NULL),
  ('regime_speed_ratio', 'Speed over a range of sizes compared with the reference', '.'),
  ('regime_speed_low_ratio', 'Speed over a range of sizes compared with the reference',
   ': lower end of the interval.'),
  ('regime_speed_high_ratio', 'Speed over a range of sizes compared with the reference',
   ': upper end of the interval.'),
  ('regime_verdict_info', 'The verdict on a variant in a range of sizes; always 1.', NULL));

CREATE TEMP VIEW run_sample AS
SELECT json_object('backend', backend, 'launchgap', launchgap, 'reference', reference,
                   'ranks', ranks) labels, json_object('run_info', 1) figures
FROM said
UNION ALL
SELECT '{}', json_object('run_created_timestamp_seconds', strftime('%s', created) + 0,
                         'run_blocks', blocks, 'run_valid', trouble IS NULL,
                         'run_warnings', warnings)
FROM said, given, exported;

CREATE TEMP VIEW cell_sample AS
SELECT json_object('variant', name, 'mode', mode, 'role', role, 'collective', coll, 'what', what,
                   'dtype', dtype, 'op', iif(op = 'none', '', op),
                   'in_place', iif(in_place, 'yes', 'no'), 'pace', pace, 'root', root,
                   'ranks', ranks, 'bytes', asked_bytes) labels,
       json_object('call_seconds', time_us / 1e6, 'call_low_seconds', time_us_lo / 1e6,
                   'call_high_seconds', time_us_hi / 1e6, 'call_p99_seconds', p99_us / 1e6,
                   'bus_bandwidth_bytes_per_second', busbw_gbs * 1e9,
                   'algorithm_bandwidth_bytes_per_second', algbw_gbs * 1e9,
                   'speed_ratio', ratio, 'speed_low_ratio', ratio_lo,
                   'speed_high_ratio', ratio_hi, 'failed_trials', failed) figures
FROM shown_cell;

-- A verdict is a label.
CREATE TEMP VIEW regime_sample AS
WITH told AS (SELECT s.*, word, role, json_object('variant', v.name, 'role', role, 'regime', r.name,
                                                  'metric', metric) labels
              FROM speed s JOIN regime r ON r.nth = regime JOIN variant v ON v.id = variant, given
              WHERE trouble IS NULL)
SELECT labels, json_object('regime_speed_ratio', speed, 'regime_speed_low_ratio', speed_lo,
                           'regime_speed_high_ratio', speed_hi) figures
FROM told
UNION ALL
SELECT json_set(labels, '$.verdict', word), json_object('regime_verdict_info', 1) FROM told;

CREATE TEMP VIEW sample AS
SELECT * FROM run_sample UNION ALL SELECT * FROM cell_sample UNION ALL SELECT * FROM regime_sample;

CREATE TEMP VIEW labelled AS
SELECT figures, (SELECT group_concat(key || '="' || replace(replace(replace(value, '\', '\\'),
                                     '"', '\"'), char(10), '\n') || '"', ',')
                 FROM (SELECT 'experiment' key, experiment value FROM said
                       UNION ALL SELECT key, value FROM json_each(labels))) text
FROM sample;

-- A family with all of its samples, each with the same labels.
CREATE TEMP VIEW prometheus AS
WITH sampled AS MATERIALIZED (
  SELECT key, printf('launchgap_%s{%s} %.12g', key, text, value) text
  FROM labelled, json_each(figures) WHERE value NOT NULL)
SELECT '# HELP launchgap_' || name || ' ' || about || char(10) || '# TYPE launchgap_' || name
       || ' gauge' || char(10) || (SELECT group_concat(text, char(10)) FROM sampled
                                   WHERE key = name) line
FROM family
WHERE name IN (SELECT key FROM sampled);

-- github-action-benchmark. A name finds the same cell of the next run again: it has nothing that a
-- run changes.
CREATE TEMP VIEW benched AS
SELECT c.*, experiment || ': ' || name || ', ' || what || ' of ' || size(asked_bytes) || ', '
       || pace bench,
       'median of ' || c.blocks || iif(c.blocks = 1, ' block', ' blocks') || '; range: quartiles'
       || char(10) || machine || '; ' || c.ranks || ' ranks; backend ' || c.backend
       || iif(library > '', ', library ' || library, '') || char(10) || 'launchgap ' || launchgap
       || ', ' || created extra
FROM shown_cell c, given, said
WHERE asked;

-- customBiggerIsBetter. What is not known is left out of a row.
CREATE TEMP VIEW bigger AS
SELECT json_group_array(json_patch('{}', json_object(
         'name', bench, 'unit', 'GB/s', 'value', busbw_gbs, 'range',
         round(busbw_gbs_lo, 3) || ' to ' || round(busbw_gbs_hi, 3), 'extra', extra))) line
FROM benched
WHERE pace = 'stream' AND busbw_gbs NOT NULL;

-- customSmallerIsBetter.
CREATE TEMP VIEW smaller AS
SELECT json_group_array(json_patch('{}', json_object(
         'name', bench, 'unit', 'µs', 'value', time_us, 'range',
         round(time_us_lo, 3) || ' to ' || round(time_us_hi, 3), 'extra', extra))) line
FROM benched
WHERE time_us NOT NULL;
