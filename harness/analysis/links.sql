-- What joins the ranks' devices: the tables device, link and link_load, from the record's topology,
--
--   gpus   [{"pci": "0000:18:00.0", "name": "NVIDIA H200", "numa": 0, "socket": 0,
--            "pcie": {"gen": 5, "gen_max": 5, "width": 16, "width_max": 16},
--            "bridges": [{"pci": "0000:15:01.0", "gbs": 63.0}],
--            "nvlinks": [{"link": 0, "up": true, "to": "switch", "mbps": 26562}]}]
--   pairs  [{"a": 0, "b": 1, "ancestor": "system", "p2p": "yes"}]
--   cores  [{"core": 0, "numa": 0, "socket": 0, "cache": 0}]
--
-- in which everything may be missing. A GPU is named by its place in the list; to is "switch",
-- another GPU's pci, or "unknown"; mbps is as signalled; bridges go from the root down, gbs as
-- hwloc has it (0: it does not know). ancestor is NVML's: board, switch, switches, host bridge,
-- node, system. p2p is "yes" or why not.
--
-- Bandwidths are payload one way, in GB/s of 1e9 bytes, as a data sheet has them:
--   NVLink  20, 25, 25, 25, 50 a link (versions 1 to 5; 14.06 of RTX GPUs' bridges), known by the
--           speed that is signalled, which is a little more. From NVIDIA's white papers on P100,
--           V100, A100 (12 links, 600 GB/s both ways), H100 (18, 900), Blackwell (18, 1800) and
--           GA102 (4, 112.5)
--   PCIe    2.5, 5 GT/s × 8/10; 8, 16, 32 GT/s × 128/130; 64 GT/s × 242/256, by lane ÷ 8:
--           PCI-SIG, PCI Express Base Specification 6.0; with generation and width as NVML says
-- A pair's is that of its narrower end.

CREATE TABLE class AS
WITH class(nth, name, brief, least_share, source) AS (VALUES
  (0, 'unknown', '?', 0.0, ''),
  (1, 'NVLink', 'NV', 0.65, 'staged sends reach 68 % of NVLink 4 (reference h800_sendrecv, '
      || '2 × H200), NCCL''s src/graph/topo.h plans with 80 % for rings'),
  (2, 'NVSwitch', 'NVS', 0.65, 'as NVLink'),
  (3, 'PCIe, same switch', 'PIX', 0.76,
      'NCCL''s src/graph/topo.h: 12 of 15.75 GB/s for PCIe 3.0 × 16'),
  (4, 'PCIe, same socket', 'NODE', 0.63, 'NCCL''s src/graph/topo.h: as one switch, by a sixth '
      || 'less on Intel''s CPUs (INTEL_P2P_OVERHEAD)'),
  (5, 'PCIe, across sockets', 'SYS', 0.38, 'NCCL''s src/graph/topo.h: 6 GB/s between sockets '
      || 'with PCIe 3.0 × 16 (BDW_QPI_BW), more on later ones'),
  (6, 'through host memory', 'MEM', 0.03, '0.94 of 31.5 GB/s on two RTX 4090 (A machine with '
      || 'PCIe alone, experiments/README.md)'),
  (7, 'same core', 'CORE', 0.0, ''),
  (8, 'same last-level cache', 'L3', 0.0, ''),
  (9, 'same CPU socket', 'CPU', 0.0, ''),
  (10, 'across CPU sockets', 'QPI', 0.0, ''))
SELECT * FROM class;

CREATE TABLE part AS
SELECT substr(e.key, 10) list, l.key nth, l.value
FROM environment e, json_each(iif(json_valid(e.value), e.value, '[]')) l
WHERE e.key IN ('topology.gpus', 'topology.pairs', 'topology.cores')
      AND l.type = 'object' AND l.key < iif(e.key = 'topology.gpus', 64, 4096);

CREATE TABLE gpu AS
WITH lane(gen, gbs) AS (VALUES (1, 2.5 * (8.0 / 10)), (2, 5 * (8.0 / 10)), (3, 8 * (128.0 / 130)),
                               (4, 16 * (128.0 / 130)), (5, 32 * (128.0 / 130)),
                               (6, 64 * (242.0 / 256)))
SELECT nth gpu, substr(value ->> '$.pci', 1, 15) pci, value ->> '$.name' name,
       value ->> '$.numa' numa, ifnull(value ->> '$.pcie.gen', 0) gen,
       ifnull(value ->> '$.pcie.gen_max', 0) gen_max, ifnull(value ->> '$.pcie.width', 0) width,
       ifnull(value ->> '$.pcie.width_max', 0) width_max,
       nullif(gbs * (value ->> '$.pcie.width_max') / 8, 0) pcie_gbs
FROM part LEFT JOIN lane ON gen = value ->> '$.pcie.gen_max' WHERE list = 'gpus';

-- peer: the GPU that it leads to.
CREATE TABLE nvlink AS
WITH sheet(gbs) AS (VALUES (100), (50), (25), (20), (14.0625))
SELECT p.nth gpu, l.value ->> '$.up' up, ifnull(l.value ->> '$.to', '') = 'switch' to_switch,
       (SELECT min(gpu) FROM gpu
        WHERE lower(pci) = lower(l.value ->> '$.to') AND pci <> '') peer,
       (SELECT max(gbs) FROM sheet WHERE (l.value ->> '$.mbps') * 1.05 >= 1000 * gbs) gbs
FROM part p, json_each(p.value, '$.nvlinks') l WHERE list = 'gpus' AND l.type = 'object';

-- That are up, to each peer, -1: to switches.
CREATE TABLE trunk AS
SELECT gpu, iif(peer NOT NULL, peer, -1) peer, count(*) n,
       iif(count(*) = count(gbs), sum(gbs), NULL) gbs
FROM nvlink WHERE up AND (to_switch OR peer NOT NULL) GROUP BY 1, 2;

CREATE TABLE bridge AS
SELECT p.nth gpu, b.key nth, b.value ->> '$.pci' pci, nullif(b.value ->> '$.gbs', 0) gbs
FROM part p, json_each(p.value, '$.bridges') b WHERE list = 'gpus' AND b.type = 'object';

-- Both ways; of several the last.
CREATE TABLE gpu_pair AS
SELECT a, b, ancestor, p2p, max(nth)
FROM (SELECT nth, value ->> '$.ancestor' ancestor, ifnull(value ->> '$.p2p', '') p2p,
             iif(turned, value ->> '$.b', value ->> '$.a') a,
             iif(turned, value ->> '$.a', value ->> '$.b') b
      FROM part JOIN (SELECT 0 turned UNION ALL SELECT 1) WHERE list = 'pairs')
GROUP BY a, b;

-- Those of the system's number; none if there are several, one in each socket.
CREATE TABLE core AS
SELECT value ->> '$.core' core, value ->> '$.numa' numa, value ->> '$.socket' socket,
       value ->> '$.cache' cache
FROM part WHERE list = 'cores' GROUP BY 1 HAVING count(*) = 1;

-- The reference, else the first variant that has results.
CREATE TABLE subject AS
SELECT id variant, layout, (SELECT ranks FROM place WHERE id = 0) n
FROM variant v JOIN known ON variant = id
WHERE (role = 'reference' OR measured AND role <> 'limit')
      AND EXISTS (SELECT 1 FROM environment WHERE key = 'topology' OR key LIKE 'topology.%')
ORDER BY role <> 'reference', id LIMIT 1;

-- A rank's device as its worker said, else the core that it is bound to. pcie: under load.
CREATE TABLE rank AS
WITH RECURSIVE
  numbers(rank) AS (
    SELECT 0 FROM subject WHERE n BETWEEN 1 AND 64 UNION ALL
    SELECT rank + 1 FROM numbers, subject WHERE rank + 1 < n),
  workers AS ( -- PxTxR: each has R ranks
    SELECT max(1, CAST(replace(layout, rtrim(layout, '0123456789'), '') AS INTEGER)) each
    FROM subject),
  said AS (
    SELECT worker, key, value, row_number() OVER (PARTITION BY key ORDER BY trial, worker) nth,
           row_number() OVER (PARTITION BY key, worker ORDER BY trial) nth_of_worker
    FROM fact WHERE typeof(value) = 'text'
         AND trial IN (SELECT id FROM trial t JOIN subject s ON s.variant = t.variant)),
  found AS (
    SELECT r.rank, d.value device, b.value bind, '[' || replace(p.value, ' ', ',') || ']' pcie,
           substr(d.value, nullif(instr(d.value, ' at '), 0) + 4) address
    FROM numbers r JOIN workers w
    LEFT JOIN said d ON d.key = 'device_' || r.rank AND d.nth = 1
    LEFT JOIN said p ON p.key = 'pcie_' || r.rank AND p.nth = 1
    LEFT JOIN said b ON b.key = 'bind' AND b.worker = r.rank / each AND b.nth_of_worker = 1)
SELECT rank, coalesce(device, bind, '') device, coalesce(address, device, bind, '') name,
       device NOT NULL gpus,
       (SELECT min(gpu) FROM gpu WHERE lower(pci) = lower(address) AND pci <> '') gpu,
       iif(bind GLOB 'core [0-9]*', CAST(substr(bind, 6) AS INTEGER), NULL) core,
       iif(json_valid(pcie) AND json_array_length(pcie) = 4, pcie, NULL) pcie
FROM found;

INSERT INTO device
WITH
  switched AS ( -- a PCIe switch of two ranks' GPUs
    SELECT a.rank, min(b.rank) other FROM rank a JOIN rank b ON a.gpu <> b.gpu
    JOIN gpu_pair p ON (p.a, p.b) = (a.gpu, b.gpu) WHERE ancestor IN ('switch', 'switches')
    GROUP BY a.rank),
  links AS (
    SELECT gpu, count(*) n, sum(up) up, sum(up AND to_switch AND peer IS NULL) to_switch,
           iif(sum(up) = sum(up AND gbs NOT NULL), nullif(sum(gbs) FILTER (WHERE up), 0), NULL) gbs
    FROM nvlink GROUP BY gpu),
  seen AS (
    SELECT r.*, g.numa, g.pcie_gbs, c.numa core_numa, n, ifnull(up, 0) up,
           ifnull(to_switch, 0) to_switch, l.gbs, ifnull(pcie ->> 0, g.gen) gen,
           ifnull(pcie ->> 1, g.width) width, g.gen_max, g.width_max,
           (SELECT max(m.up) FROM links m JOIN gpu o USING (gpu) WHERE o.name = g.name) most
    FROM rank r LEFT JOIN gpu g USING (gpu) LEFT JOIN links l USING (gpu)
    LEFT JOIN core c USING (core))
SELECT rank, device, name, iif(gpu IS NULL AND NOT gpus, core_numa, numa),
       iif(gpus, core_numa, NULL), min(s.rank, other), iif(gpu IS NULL, NULL, up), to_switch, gbs,
       pcie_gbs, ifnull(gen, 0), ifnull(width, 0), ifnull(pcie ->> 2, ifnull(gen_max, 0)),
       ifnull(pcie ->> 3, ifnull(width_max, 0)), pcie NOT NULL,
       iif(gpu IS NULL, '', ltrim(
         CASE WHEN up < n THEN (n - up) || ' of ' || n || ' NVLinks are down'
              WHEN up < most THEN up || ' NVLinks, where another has ' || most ELSE '' END
         || iif(width AND width < width_max, '; PCIe ×' || width || ' of ×' || width_max, '')
         || iif(pcie NOT NULL AND gen AND gen < gen_max,
                '; PCIe generation ' || gen || ' of ' || gen_max, ''), '; '))
FROM seen s LEFT JOIN switched USING (rank);

CREATE TABLE line AS
WITH
  ends AS (
    SELECT a.rank sender, b.rank receiver, a.gpu x, b.gpu y, a.gpu <> b.gpu between_gpus,
           iif(a.gpus, NULL, a.core) x_core, iif(b.gpus, NULL, b.core) y_core
    FROM rank a JOIN rank b ON a.rank <> b.rank)
SELECT e.*, min(direct.n, back.n) direct, min(direct.gbs, back.gbs) direct_gbs,
       min(up.n, down.n) switched, min(up.gbs, down.gbs) switched_gbs,
       min(g.pcie_gbs, h.pcie_gbs) pcie_gbs, g.numa x_numa, h.numa y_numa,
       ancestor, ifnull(p2p, '') p2p
FROM ends e LEFT JOIN gpu g ON g.gpu = x LEFT JOIN gpu h ON h.gpu = y
LEFT JOIN trunk direct ON (direct.gpu, direct.peer) = (x, y)
LEFT JOIN trunk back ON (back.gpu, back.peer) = (y, x)
LEFT JOIN trunk up ON (up.gpu, up.peer) = (x, -1)
LEFT JOIN trunk down ON (down.gpu, down.peer) = (y, -1)
LEFT JOIN gpu_pair p ON (p.a, p.b) = (x, y);

INSERT INTO link
WITH
  classed AS (
    SELECT l.*, CASE
             WHEN ifnull(between_gpus, 0) THEN CASE
               WHEN direct THEN 1
               WHEN switched THEN 2
               WHEN p2p NOT IN ('', 'yes') THEN 6
               WHEN ancestor IN ('board', 'switch', 'switches') THEN 3
               WHEN ancestor IN ('host bridge', 'node') THEN 4
               WHEN ancestor = 'system' THEN 5
               WHEN x_numa IS NULL OR y_numa IS NULL THEN 0
               WHEN x_numa = y_numa THEN 4 ELSE 5 END
             WHEN c.core = d.core THEN 7
             WHEN c.cache = d.cache THEN 8
             WHEN c.socket = d.socket THEN 9
             WHEN c.socket <> d.socket THEN 10 ELSE 0 END class
    FROM line l LEFT JOIN core c ON c.core = x_core LEFT JOIN core d ON d.core = y_core)
SELECT sender, receiver, nth, name,
       brief || CASE nth WHEN 1 THEN ' ×' || direct WHEN 2 THEN ' ×' || switched ELSE '' END,
       CASE nth WHEN 1 THEN direct WHEN 2 THEN switched ELSE 0 END,
       CASE WHEN nth = 1 THEN direct_gbs WHEN nth = 2 THEN switched_gbs
            WHEN nth BETWEEN 3 AND 6 OR between_gpus THEN pcie_gbs END,
       least_share, source
FROM classed JOIN class ON nth = classed.class ORDER BY sender, receiver;

-- What crosses each link while every GPU sends the same amount to every other: the way out of a
-- GPU; the way in is as busy. The last bridge above a GPU is its own slot's.
INSERT INTO link_load
WITH
  sends AS (
    SELECT l.class_nth class, l.theoretical_gbs gbs, a.gpu x, b.gpu y, g.pci, g.pcie_gbs, g.numa,
           h.pci to_pci, h.numa to_numa, d.nvlink_gbs
    FROM link l JOIN rank a ON a.rank = sender JOIN rank b ON b.rank = receiver
    JOIN gpu g ON g.gpu = a.gpu JOIN gpu h ON h.gpu = b.gpu JOIN device d ON d.rank = sender
    WHERE a.gpu <> b.gpu),
  crossed(name, gbs) AS (
    SELECT iif(class = 1, 'NVLinks ' || pci || ' to ' || to_pci, 'NVLinks of ' || pci),
           iif(class = 1, gbs, nvlink_gbs) FROM sends WHERE class IN (1, 2)
    UNION ALL SELECT 'PCIe of ' || pci, pcie_gbs FROM sends WHERE class NOT IN (1, 2)
    UNION ALL SELECT 'bridge ' || b.pci || ' upwards', b.gbs FROM sends JOIN bridge b ON b.gpu = x
    WHERE class NOT IN (1, 2) AND b.nth + 1 < (SELECT count(*) FROM bridge WHERE gpu = x)
          AND (class <> 3 OR EXISTS ( -- above both on the way to their switch
            SELECT 1 FROM bridge o WHERE o.gpu = x AND o.nth <= b.nth AND NOT EXISTS (
              SELECT 1 FROM bridge t WHERE (t.gpu, t.nth, t.pci) = (y, o.nth, o.pci))))
    UNION ALL SELECT 'between NUMA nodes ' || numa || ' and ' || to_numa, NULL FROM sends
    WHERE class NOT IN (1, 2) AND numa <> to_numa)
SELECT row_number() OVER (ORDER BY gbs IS NULL, gbs / n, n DESC, name) - 1, name, n, gbs
FROM (SELECT name, count(*) n, max(gbs) gbs FROM crossed GROUP BY name);

DROP TABLE line;
DROP TABLE rank;
DROP TABLE subject;
DROP TABLE core;
DROP TABLE gpu_pair;
DROP TABLE bridge;
DROP TABLE trunk;
DROP TABLE nvlink;
DROP TABLE gpu;
DROP TABLE part;
DROP TABLE class;
