-- For github-action-benchmark: the array of bandwidths (customBiggerIsBetter), and that of times
-- (customSmallerIsBetter). A name finds the same cell of the next run again: it has nothing that a
-- run changes.
WITH said AS (
  SELECT max(value) FILTER (WHERE key = 'experiment') experiment,
         max(value) FILTER (WHERE key = 'launchgap') || ', '
         || max(value) FILTER (WHERE key = 'created') program
  FROM environment
), shown AS (
  SELECT r.*, pace, experiment || ': ' || name || ', ' || what || ' of ' || size(asked_bytes)
         || ', ' || pace place_name,
         'median of ' || r.blocks || iif(r.blocks = 1, ' block', ' blocks') || '; range: quartiles'
         || char(10) || machine || '; ' || p.ranks || ' ranks; backend ' || backend
         || iif(library > '', ', library ' || library, '') || char(10) || 'launchgap ' || program
         extra
  FROM result r JOIN place p ON p.id = place JOIN variant v ON v.id = r.variant
  JOIN known USING (variant), given, said
  WHERE asked AND trouble IS NULL
), bench(unit, x, row) AS (
  SELECT 'GB/s', busbw_gbs,
         json_object('name', place_name, 'unit', 'GB/s', 'value', busbw_gbs, 'range',
                     round(busbw_gbs_lo, 3) || ' to ' || round(busbw_gbs_hi, 3), 'extra', extra)
  FROM shown WHERE pace = 'stream'
  UNION ALL
  SELECT 'µs', time_us,
         json_object('name', place_name, 'unit', 'µs', 'value', time_us, 'range',
                     round(time_us_lo, 3) || ' to ' || round(time_us_hi, 3), 'extra', extra)
  FROM shown
)
SELECT json_group_array(json(json_patch('{}', row))) FILTER (WHERE unit = 'GB/s'),
       json_group_array(json(json_patch('{}', row))) FILTER (WHERE unit = 'µs')
FROM bench WHERE x NOT NULL
