-- What a file of nccl-tests, nccl_file, says: carried out for each.

-- Its options with their values.
DROP TABLE IF EXISTS nccl_word;
CREATE TABLE nccl_word AS
WITH RECURSIVE arg AS MATERIALIZED ( -- "-a3" and "--average=3" have their value inside
  SELECT *, iif(text GLOB '--*', rtrim(substr(text, 1, instr(text || '=', '=')), '='),
                substr(text, 1, 2)) name,
         CASE WHEN text NOT GLOB '-*' THEN '' WHEN text NOT GLOB '--*'
              THEN nullif(substr(text, 3), '')
              WHEN instr(text, '=') THEN substr(text, instr(text, '=') + 1) END inside
  FROM (SELECT key at, iif(type = 'text', value, '') text, type
        FROM nccl_file, json_each(doc, '$.args'))),
word(next, name, value) AS ( -- an option's value is the next argument otherwise
  VALUES (1, '', NULL)
  UNION ALL
  SELECT a.at + iif(a.inside IS NULL, 2, 1), a.name,
         ifnull(a.inside, iif(v.type = 'text', v.text, NULL))
  FROM word JOIN arg a ON a.at = next LEFT JOIN arg v ON v.at = a.at + 1)
SELECT next, name, value FROM word WHERE value NOT NULL;

-- Those that distinguish measurements.
DROP TABLE IF EXISTS nccl_option;
CREATE TABLE nccl_option AS
SELECT nth, letter, usual, manner, coalesce(
         CASE json_type(doc, '$.config.' || config)
              WHEN 'integer' THEN doc ->> ('$.config.' || config) WHEN 'true' THEN 1
              WHEN 'text' THEN iif(doc ->> ('$.config.' || config) = 'true', 1, NULL) END,
         (SELECT CAST(value AS INTEGER) FROM nccl_word -- long names may be cut
          WHERE name = '-' || letter
                OR length(name) > 2 AND name = substr('--' || long, 1, length(name))
          ORDER BY next DESC LIMIT 1), usual) number
FROM nccl_file, nccl_known ORDER BY nth;

-- Its ranks and names.
DROP TABLE IF EXISTS nccl_layout;
CREATE TABLE nccl_layout AS
WITH layout AS (
  SELECT *, processes * threads * gpus ranks,
         iif(unknown, '', processes || 'x' || threads || 'x' || gpus) layout
  FROM (SELECT *, json_array_length(doc, '$.config.devices') processes,
               ifnull(doc ->> '$.config.nthreads', 1) threads, doc ->> '$.config.ngpus' gpus,
               doc ->> '$.config.nthreads' IS NULL unknown,
               iif(json_type(doc, '$.args[0]') = 'text',
                   replace(doc ->> '$.args[0]', '\', '/'), NULL) path
        FROM nccl_file)),
named AS (
  SELECT *, coalesce(variant, CASE
           WHEN unknown THEN ranks || '-ranks' WHEN layout GLOB '1x1x*' THEN 'single'
           WHEN layout GLOB '1x*x1' THEN 'threads' WHEN layout GLOB '*x1x1' THEN 'processes'
           ELSE layout END) name,
         substr(path, length(rtrim(path, replace(path, '/', ''))) + 1) program
  FROM layout)
SELECT side, most_ranks, processes, threads, gpus, ranks, layout, name,
       iif(program GLOB 'nccl_*', substr(program, 6), program) own FROM named;

-- The whole of it, one row.
DROP TABLE IF EXISTS nccl_head;
CREATE TABLE nccl_head AS
SELECT l.*, c.id collective, c.name coll,
       (SELECT number FROM nccl_option WHERE nth = 0) average,
       ifnull((SELECT group_concat('-' || letter || ' ' || number, ' ') FROM nccl_option
               WHERE nth AND number <> usual), '') others,
       ifnull((SELECT group_concat(manner, '') FROM nccl_option WHERE number <> usual), '') manner,
       coalesce(doc ->> '$.config.validation', 0) = 0 unchecked,
       (SELECT substr(value, 1, 200) FROM json_each(doc, '$.errors')
        WHERE type = 'text' AND value <> '') failed,
       (SELECT count(DISTINCT ifnull(value ->> '$.group', 0))
        FROM json_each(doc, '$.config.devices') WHERE type = 'object') groups,
       json_type(doc, '$.env') NOT NULL knows,
       NOT EXISTS (SELECT 1 FROM nccl_run r WHERE r.side = l.side) first,
       (SELECT 1 FROM json_each(doc, '$.env')
        WHERE value GLOB 'NCCL_TESTS_ALLTOALLV_MATRIX_FILE=*') matrix,
       (SELECT substr(value, 29) FROM json_each(doc, '$.env')
        WHERE value GLOB 'NCCL_TESTS_ALLTOALLV_SPREAD=*') spread
FROM nccl_layout l JOIN nccl_file USING (side)
LEFT JOIN nccl_collective c ON own GLOB c.name || '_perf*';

-- Why it is not believed, alone or with those before it; or nothing.
DROP TABLE IF EXISTS nccl_wrong;
CREATE TABLE nccl_wrong AS
SELECT CASE
         WHEN failed NOT NULL THEN 'is of a run that failed: ' || failed
         WHEN own IS NULL
         THEN 'does not name the program, which says the collective: of JSON "args" begins with '
              || 'it; a file of text may be called all_reduce_perf.txt'
         WHEN collective IS NULL
         THEN 'the program "' || substr(own, 1, 60) || '" measures no collective that is known '
              || 'here (`launchgap list` names them)'
         WHEN NOT ifnull(processes, 0)
         THEN '"devices" in "config" is missing or empty (of text: the lines # Rank)'
         WHEN groups > 1
         THEN 'its ranks were split into several groups that measure at once'
         WHEN ranks > most_ranks
         THEN 'says ' || processes || ' processes × ' || threads || ' threads × ' || gpus
              || ' GPUs, at most ' || most_ranks || ' ranks are believed'
         WHEN r.layout <> h.layout
         THEN 'its layout is ' || h.layout || ' (processes x threads x GPUs), but files before it '
              || 'have ' || r.layout || ', and both would be ' || h.name
         WHEN (h.average, h.manner, h.others) <> (s.average, s.manner, s.others)
         THEN 'was measured with other options than the files before it: -a ' || h.average
              || h.manner || iif(h.others = '', '', ' ') || h.others || ' against -a ' || s.average
              || s.manner || iif(s.others = '', '', ' ') || s.others END wrong
FROM nccl_head h LEFT JOIN nccl_run r ON (r.side, r.variant) = (h.side, h.name)
LEFT JOIN nccl_run s ON s.side = h.side
LIMIT 1;

INSERT INTO nccl_run SELECT side, name, layout, average, manner, others, unchecked
FROM nccl_head, nccl_wrong WHERE wrong IS NULL AND ranks > 0;

-- What it states, in the order of sides.sql.
DROP TABLE IF EXISTS nccl_says;
CREATE TABLE nccl_says AS
WITH version AS (SELECT v, iif(v < 10000, 1000, 10000) minor -- 2804 is 2.8.4, 22803 is 2.28.3
                 FROM (SELECT doc ->> '$.nccl_version' v FROM nccl_file))
SELECT 'experiment' fact, '-' value UNION ALL
SELECT 'program', CASE WHEN json_type(doc, '$.launchgap') NOT NULL THEN 'launchgap'
                       WHEN json_type(doc, '$.torch') = 'text'
                       THEN 'PyTorch ' || substr(doc ->> '$.torch', 1, 40)
                       WHEN json_type(doc, '$.rccl') = 'true' THEN 'rccl-tests'
                       ELSE 'nccl-tests' END FROM nccl_file UNION ALL
SELECT 'backend', coalesce(doc ->> '$.launchgap.backend',
                           iif(json_type(doc, '$.rccl') = 'true', 'rccl', 'nccl')) FROM nccl_file
UNION ALL
SELECT 'layout', layout FROM nccl_head UNION ALL
SELECT 'ranks', ranks FROM nccl_head UNION ALL
SELECT 'library', printf('%d.%d.%d', v / minor, v % minor / 100, v % 100) FROM version WHERE v > 0
UNION ALL
SELECT 'measured', doc ->> '$.start_time' FROM nccl_file, nccl_head WHERE first
UNION ALL
SELECT 'machine', printf('%.40s: %.40s', ifnull(host, '?'), ifnull(gpu, '?'))
FROM (SELECT value ->> '$.hostname' host, value ->> '$.device_info' gpu
      FROM nccl_file, json_each(doc, '$.config.devices') WHERE type = 'object')
WHERE host NOT NULL OR gpu NOT NULL;

DROP TABLE IF EXISTS nccl_variable;
CREATE TABLE nccl_variable AS
SELECT substr(value, 1, instr(value, '=') - 1), substr(value, instr(value, '=') + 1)
FROM nccl_file, json_each(doc, '$.env') WHERE value GLOB 'NCCL_*=*';

-- Each half of a row that was measured; wrong: why it is not believed.
DROP TABLE IF EXISTS nccl_row;
CREATE TABLE nccl_row AS
SELECT name, size, type, redop, root, in_place, us, CASE
         WHEN json_type(body, '$.cpu_time') NOT NULL
         THEN 'holds the CPU''s time (-C 1), which is that of launching only'
         WHEN ifnull(json_type(body, '$.time') NOT IN ('integer', 'real'), 1)
              OR NOT (us > 0 AND us < 1e12)
         THEN size || ' bytes: "time" of "' || half || '" is no time in µs'
         WHEN json_type(body, '$.nwrong') NOT IN ('null', 'integer', 'real')
         THEN size || ' bytes: "nwrong" of "' || half || '" is no number'
         WHEN body ->> '$.nwrong' > 0
         THEN coll || ' of ' || size || ' bytes delivered ' || printf('%.0f', body ->> '$.nwrong')
              || ' wrong elements: times of wrong results mean nothing' END wrong
FROM (SELECT row ->> '$.size' size, row ->> '$.type' type, row ->> '$.redop' redop,
             CAST(row ->> '$.root' AS INTEGER) root, in_place, half, name, coll, key,
             row -> ('$.' || half) body, row ->> ('$.' || half || '.time') us
      FROM nccl_head
      JOIN (SELECT key, iif(type = 'object', value, '{}') row
            FROM nccl_file, json_each(doc, '$.results'))
      JOIN (SELECT 0 in_place, 'out_of_place' half UNION ALL SELECT 1, 'in_place'))
WHERE body <> 'null' AND size > 0
ORDER BY key, in_place;

-- It holds the environment, and with it what may be a secret.
DELETE FROM nccl_file;
