-- The files that pictures are drawn from: plots/run.gp but for what the story adds
-- (gnuplot.c), ecdf.csv and timeline.csv; a view of lines for each.

-- --- run.gp: what is assigned ---

-- The library versions of the drawn variants, each once, the oldest first: "2.21.5 and 2.28.3".
CREATE TEMP VIEW libraries_of_run AS
WITH library AS (SELECT library, row_number() OVER (ORDER BY version(library)) at,
                        count(*) OVER () n
                 FROM known k JOIN drawn_variant USING (variant) WHERE library <> ''
                 GROUP BY library)
SELECT coalesce(group_concat(CASE WHEN at = 1 THEN '' WHEN at = n THEN ' and ' ELSE ', ' END
                             || library, ''), '') libraries
FROM (SELECT * FROM library ORDER BY at);
CREATE TEMP VIEW gpus_of_run AS
SELECT iif(g.gpus, count(m.value), 0) n,
       replace(coalesce(min(iif(m.type = 'text', m.value, m.value ->> 'name')), ''),
               'NVIDIA ', '') name
FROM given g LEFT JOIN environment s ON s.key = 'machine.gpus'
LEFT JOIN json_each(iif(json_valid(s.value), s.value, '[]')) m;

-- Machine and library, for titles: "2 × H200, NCCL 2.28.3", "4 ranks, host".
CREATE TEMP VIEW where_of_run AS
WITH ranks AS (SELECT coalesce((SELECT ranks FROM drawn_group ORDER BY nth LIMIT 1),
                               (SELECT ranks FROM place ORDER BY id LIMIT 1), 0) ranks)
SELECT backend, libraries,
       iif(n AND n = ranks, n || ' × ' || name,
           ranks || ' rank' || iif(ranks = 1, '', 's') || iif(n, ' on ' || name, '')) || ', ' ||
       iif(libraries <> '', upper(backend) || ' ' || libraries, backend) AS "where"
FROM gpus_of_run, ranks, libraries_of_run,
     (SELECT coalesce(max(value), '') backend FROM environment WHERE key = 'backend');

CREATE TEMP VIEW setting_of_run AS
WITH best AS (SELECT max(busbw_gbs) gbs, count(*) FILTER (WHERE pace = 'stream') sizes
              FROM result r JOIN place p ON p.id = place JOIN variant v ON v.id = r.variant
              WHERE role = 'limit' AND busbw_gbs NOT NULL)
SELECT 'title' name, coalesce(max(value), '') value FROM environment WHERE key = 'title'
UNION ALL SELECT 'stretches', coalesce(max(value), 0) FROM environment WHERE key = 'stretches'
UNION ALL SELECT 'calls', coalesce(max(value), 0) FROM environment WHERE key = 'calls'
UNION ALL SELECT 'machine', machine FROM given
UNION ALL SELECT 'where', "where" FROM where_of_run
UNION ALL SELECT 'library_name', upper(backend) FROM where_of_run
UNION ALL SELECT 'library', libraries FROM where_of_run
UNION ALL SELECT 'reference', coalesce(reference, '') FROM given
UNION ALL SELECT 'blocks', blocks FROM given
UNION ALL SELECT 'isolated_calls',
  iif(least_calls < isolated_calls, least_calls || ' to ', '') || isolated_calls FROM given
UNION ALL SELECT 'margin', margin FROM given
UNION ALL SELECT 'carries_data', data FROM given
UNION ALL SELECT 'comparable', compared FROM given
UNION ALL SELECT 'limit_sizes', sizes FROM best
UNION ALL SELECT 'limit_best', gbs FROM best
UNION ALL SELECT 'variants', curves FROM drawn
UNION ALL SELECT 'main', count(*) FILTER (WHERE main) FROM drawn_variant
UNION ALL SELECT 'left_out', left_out FROM drawn
UNION ALL SELECT 'each', collectives <= "each" FROM drawn
UNION ALL SELECT 'detail', collectives <= detail FROM drawn
UNION ALL SELECT 'collectives', collectives FROM drawn
UNION ALL SELECT 'groups', count(*) FROM drawn_group
UNION ALL SELECT 'ratio_panels', count(DISTINCT panel) FROM ratio_panel;

-- A variant with its family: variants with names that differ in the mode alone share one, the
-- reference's is 0.
CREATE TEMP TABLE plotted_variant AS
SELECT v.*, iif(role = 'again', 0, dense_rank() OVER (ORDER BY first) - 1) family
FROM (SELECT *, iif(role = 'again', 1, min(at) OVER (PARTITION BY bare, role = 'again')) first
      FROM drawn_variant) v;

-- Panels of ratios: the variants compared with the reference, families together. With the
-- reference's line, a panel has no more lines than five.
CREATE TEMP TABLE ratio_panel AS
WITH RECURSIVE
  apart AS (SELECT at, row_number() OVER (PARTITION BY family ORDER BY at) = 1 begins,
                   count(*) OVER (PARTITION BY family) size,
                   min(at) OVER (PARTITION BY family) family_at
            FROM plotted_variant WHERE at > 1),
  numbered AS (SELECT *, row_number() OVER (ORDER BY family_at, at) nth FROM apart),
  put(nth, at, panel, lines) AS (
    SELECT 0, 0, 1, 0 UNION ALL
    SELECT n.nth, n.at, panel + (lines = 4 OR begins AND lines AND lines + size > 4),
           iif(lines = 4 OR begins AND lines AND lines + size > 4, 1, lines + 1)
    FROM put p JOIN numbered n ON n.nth = p.nth + 1)
SELECT panel, at, nth FROM put WHERE nth;

-- Isolated calls at a small, a middle and the largest size of a group, µs, in order of a variant.
CREATE TEMP TABLE single AS
SELECT p.grp, p.id place, p.what, p.bytes, v.id variant, v.name, pictured, value / 1000 us
FROM place p JOIN cell_place ON place = p.id JOIN cell c ON c.id = cell JOIN trial t ON t.id = trial
JOIN variant v ON v.id = t.variant JOIN known k ON k.variant = v.id, json_each(calls(c.id))
WHERE p.pace = 'isolated' AND NOT is_limit AND p.nth - 1 IN (0, (sizes - 1) / 2, sizes - 1)
      AND c.pass = 'timed' AND error IS NULL
ORDER BY place, variant, us;

-- Its axis: from the variants' least 0.5th percentile to their largest 99th.
CREATE TEMP TABLE panel AS
SELECT grp, place, bytes, min(least) lo, max(most) hi,
       row_number() OVER (PARTITION BY grp ORDER BY place) nth
FROM (SELECT grp, place, bytes, quantile(us, 0.005) least, quantile(us, 0.99) most
      FROM single WHERE pictured GROUP BY place, variant)
GROUP BY place;

-- In arrays from 1 on, the others at 0. A text is quoted, a real is one to gnuplot too.
CREATE TEMP VIEW assigned(name, at, value) AS
SELECT name, 0, value FROM setting_of_run UNION ALL
SELECT 'V_name', at, name FROM plotted_variant
UNION ALL SELECT 'V_label', at, iif(role = 'again', coalesce(reference, name) ||
                                            ' again (A/A)', name) FROM plotted_variant, given
UNION ALL SELECT 'V_mode', at, mode FROM plotted_variant
UNION ALL SELECT 'V_role', at, role FROM plotted_variant
UNION ALL SELECT 'V_family', at, family FROM plotted_variant
UNION ALL SELECT 'R_list', panel, group_concat(at, ' ')
  FROM (SELECT * FROM ratio_panel ORDER BY nth) GROUP BY panel
UNION ALL SELECT 'G_coll', nth, what FROM drawn_group
UNION ALL SELECT 'G_pace', nth, pace FROM drawn_group
UNION ALL SELECT 'G_ranks', nth, ranks FROM drawn_group
UNION ALL SELECT 'G_sizes', nth, sizes FROM drawn_group
UNION ALL SELECT 'G_max', nth, 1.0 * most FROM drawn_group
UNION ALL SELECT 'G_list', g.nth, group_concat(asked_bytes || '.0', ' ')
  FROM drawn_group g JOIN (SELECT * FROM place ORDER BY id) USING (grp) GROUP BY grp
UNION ALL SELECT 'G_split', g.nth, 1.0 * coalesce(min(asked_bytes) FILTER (
    WHERE asked_bytes >= iif(gpus, 16 << 20, 256 << 10)), 0)
  FROM drawn_group g JOIN place USING (grp), given GROUP BY grp
UNION ALL SELECT 'E_panels', g.nth, count(p.grp)
  FROM drawn_group g LEFT JOIN panel p USING (grp) GROUP BY grp
UNION ALL SELECT 'E_bytes', 3 * g.nth + p.nth - 3, 1.0 * bytes
  FROM drawn_group g JOIN panel p USING (grp)
UNION ALL SELECT 'E_lo', 3 * g.nth + p.nth - 3, lo
  FROM drawn_group g JOIN panel p USING (grp)
UNION ALL SELECT 'E_hi', 3 * g.nth + p.nth - 3, hi
  FROM drawn_group g JOIN panel p USING (grp);

-- --- the other two ---

-- A variant's name as a field of CSV: no formula of a spreadsheet.
CREATE TEMP VIEW field_of AS
SELECT id variant, iif(name GLOB '*[^-a-zA-Z0-9_.+]*' OR name GLOB '[-+=@]*',
                       '"' || iif(name GLOB '[-+=@]*', '''', '') || replace(name, '"', '""') || '"',
                       name) field
FROM variant;

-- Each call's time and the share of calls that took no longer, of every variant; thinned to the 200
-- that a picture can show. number: the variant's in pictures; 0: it is not shown.
CREATE TEMP VIEW ecdf AS
SELECT -1 place, 0 variant, 0 at, 'variant,what,bytes,time_us,share,number' line
UNION ALL
SELECT place, variant, at,
       field || printf(',%s,%d,%.6g,%.6g,%d', what, bytes, us, 1.0 * at / n, pictured)
FROM (SELECT s.*, s.rowid - before at, n
      FROM (SELECT place, variant, min(rowid) - 1 before, count(*) n FROM single GROUP BY 1, 2) g
      JOIN single s ON s.rowid BETWEEN before + 1 AND before + n) JOIN field_of USING (variant)
WHERE n <= 200 OR (at * 200 + n - 1) / n * n / 200 = at;

-- For each collective and variant the call of the median length, a line a rank.
CREATE TEMP VIEW timeline AS
SELECT -1 coll_nth, 0 variant, 0 rank, 'variant,what,bytes,rank,start_us,issued_us,idle_us,'
       || 'device_start_us,device_end_us,number' line
UNION ALL
SELECT s.coll_nth, s.variant, rank,
       field || printf(',%s,%d,%d,%.6g,%.6g,%.6g,', coalesce(what, s.coll), s.bytes, rank,
                           start_us, issued_us, idle_us)
       || iif(device_start_us IS NULL, ',', printf('%.6g,', device_start_us))
       || iif(device_end_us IS NULL, '', printf('%.6g', device_end_us)) || ',' || pictured
FROM median_stamp s JOIN variant v ON v.id = s.variant JOIN known k ON k.variant = v.id
JOIN field_of f ON f.variant = v.id
LEFT JOIN cell_place USING (cell) LEFT JOIN place p ON p.id = place
WHERE role <> 'limit';
