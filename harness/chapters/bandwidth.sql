-- What bandwidth is compared with: the tables crossed and reached.

-- Collectives whose data crosses a GPU's link as busbw's factors (coll/coll.c) assume, so that
-- none exceeds it (nccl-tests, doc/PERFORMANCE.md). to_one: each rank sends to one other.
CREATE VIEW bounded(coll, to_one) AS
VALUES ('all_reduce', 0), ('all_gather', 0), ('reduce_scatter', 0), ('broadcast', 0), ('reduce', 0),
       ('alltoall', 0), ('alltoallv', 0), ('gather', 0), ('scatter', 0), ('hypercube', 0),
       ('sendrecv', 1), ('sendrecv_pairs', 1), ('sendrecv_both', 1), ('sendrecv_halves', 1);

-- What joins the ranks in words, by the narrowest rank: "18 NVLinks of 25 GB/s to NVSwitches".
CREATE VIEW joined AS
WITH d AS (
  SELECT d.*, row_number() OVER (ORDER BY iif(kind = 'PCIe', d.pcie_gbs, nvlinks), rank) nth,
         row_number() OVER (ORDER BY d.pcie_gbs, rank) narrow, ' ×' || width_max width_text
  FROM device d, ranks_joined)
SELECT j.*, CASE WHEN kind = 'PCIe' THEN iif(j.pcie_gbs, 'PCIe ' || d.gen_max || d.width_text, '')
                 WHEN d.nvlink_gbs IS NULL OR kind NOT IN ('NVLink', 'NVSwitch') THEN ''
                 ELSE nvlinks || ' NVLinks of ' || rtrim(rtrim(nvlink_gbs / nvlinks, '0'), '.')
                      || ' GB/s' || iif(kind = 'NVSwitch', ' to NVSwitches', '') END text,
       iif(j.pcie_gbs, 'PCIe ' || (SELECT gen_max || width_text FROM d WHERE narrow = 1)
                       || ' to the host''s memory', '') memory
FROM ranks_joined j LEFT JOIN d ON nth = 1;

-- The line rate that busbw is compared with, where all ranks are joined by one kind of links. To
-- which rank others send is not known but of sendrecv. Only switches that add (NVLS) let
-- all_reduce exceed it: each GPU then sends and receives its data once, so that busbw is at most
-- 2 (n − 1) ÷ n times it.
CREATE VIEW line_rate AS
SELECT coll, adds, iif(adds AND coll = 'all_reduce', 2.0 * (n - 1) / n, 1) *
       CASE kind WHEN 'PCIe' THEN pcie_gbs WHEN 'NVSwitch' THEN next_gbs
                 WHEN 'NVLink' THEN CASE WHEN NOT to_one THEN all_gbs
                                         WHEN coll = 'sendrecv' THEN next_gbs END END gbs
FROM bounded, joined, (SELECT 0 adds UNION ALL SELECT 1),
     (SELECT count(DISTINCT sender) n FROM link);

-- The cards of a host by its first worker, "eth0 10000, IB mlx5_0:1 200000", Mb/s one way:
-- net/NAME/speed and infiniband/NAME/ports/N/rate (Linux, Documentation/ABI), headers included.
-- boot: of the machine.
CREATE TABLE host_card AS
WITH said AS (
  SELECT m.variant, m.host, m.hosts, c.ranks / m.hosts ranks,
         max(value) FILTER (WHERE key = 'host') name,
         max(value) FILTER (WHERE key = 'host_networks') cards
  FROM (SELECT DISTINCT variant, first, hosts, host FROM met) m JOIN cell c ON c.id = first
  JOIN variant v ON v.id = m.variant
  LEFT JOIN fact f ON f.trial = c.trial AND worker = host * (v.processes * v.threads / m.hosts)
  GROUP BY m.variant, m.host)
SELECT s.*, substr(name, nullif(instr(name, ' '), 0) + 1) boot, card.value GLOB 'IB *' verbs,
       CAST(substr(card.value, instr(substr(card.value, 4), ' ') + 3) AS REAL) / 8000 gbs
FROM said s LEFT JOIN json_each('[' || replace(json_quote(cards), ', ', '","') || ']') card;

-- All of a kind together, of the host that has least. machines: 1: each host is one; between
-- others data takes no card. one: they are simulated.
CREATE VIEW network AS
SELECT variant, verbs, hosts, ranks, iif(count(gbs) = hosts, min(gbs), NULL) gbs,
       cards || iif(verbs, ' IB card', ' network card') || iif(cards = 1, '', 's') || ' a host ('
       || rtrim(rtrim(min(gbs), '0'), '.') || ' GB/s' || iif(cards = 1, '', ' together') || ')' text
FROM (SELECT variant, host, verbs, hosts, ranks, sum(gbs) gbs, count(*) cards FROM host_card
      WHERE verbs NOT NULL GROUP BY variant, host, verbs)
GROUP BY variant, verbs;
CREATE VIEW on_machines AS
SELECT variant, hosts, ranks, count(DISTINCT nullif(boot, '')) = hosts machines,
       count(DISTINCT name) = hosts AND count(DISTINCT boot) < 2 one
FROM host_card GROUP BY variant;

-- Of busbw's bytes B in a time the least that has to leave or enter a host, whatever the
-- algorithm, of n ranks, k on each: all_gather, reduce_scatter, gather, scatter B (n − k) ÷ n;
-- all_reduce twice that, or B with switches that add; alltoall k B (n − k) ÷ n, of B a rank;
-- broadcast, reduce, sendrecv B.
CREATE VIEW network_rate AS
SELECT variant, verbs, coll, adds, gbs * CASE
         WHEN coll = 'all_reduce' THEN (n - 1) / iif(adds, n / 2, n - ranks)
         WHEN coll IN ('all_gather', 'reduce_scatter', 'gather', 'scatter')
         THEN (n - 1) / (n - ranks)
         WHEN coll = 'alltoall' THEN (n - 1) / (ranks * (n - ranks))
         WHEN coll IN ('broadcast', 'reduce', 'sendrecv') THEN 1 END gbs
FROM (SELECT *, 1.0 * ranks * hosts n FROM network), bounded, (SELECT 0 adds UNION ALL SELECT 1);

-- A variant at a place, with what its data crosses: nothing that is known, the links, the host's
-- memory. net: between hosts; within them data may go another way.
CREATE VIEW crossing AS
SELECT w.variant, p.id place, p.coll,
       CASE WHEN s.value IS NULL OR s.value IN ('', 'this') THEN 1
            WHEN s.value NOT GLOB '*[^0-9]*' THEN CAST(s.value AS INTEGER)
            ELSE 1 + length(s.value) - length(replace(s.value, ',', '')) END hosts,
       iif(instr(mixed, 'NET/'), substr(mixed, instr(mixed, 'NET/')), transport) net,
       CASE WHEN NOT v.gpus OR transport = 'mixed' THEN ''
            WHEN transport GLOB 'SHM*' OR transport GLOB 'NET*' THEN 'memory' ELSE 'links' END by,
       coalesce(upper(algorithm) GLOB 'NVLS*', 0) links_add,
       coalesce(upper(algorithm) GLOB 'COLLNET*', 0) adds
FROM way w JOIN variant v ON v.id = w.variant CROSS JOIN place p JOIN bounded USING (coll)
JOIN given
LEFT JOIN choice c ON (c.variant, c.place) = (w.variant, p.id)
LEFT JOIN setting s ON s.variant = w.variant AND s.key = 'hosts'
WHERE data AND trouble IS NULL AND NOT is_limit AND pace = 'stream' AND whole;

INSERT INTO crossed
WITH w AS (SELECT *, CASE WHEN net GLOB 'NET/IB*' THEN 1
                          WHEN net GLOB 'NET/Socket*' THEN 0 END verbs FROM crossing)
SELECT w.variant, w.place, iif(machines = 0, 1, w.hosts), j.text,
       CASE WHEN w.hosts > 1 THEN coalesce(iif(machines AND k.gbs, k.text, NULL), '')
            WHEN by = 'memory' THEN memory WHEN by = 'links' THEN j.text END,
       CASE WHEN w.hosts > 1 THEN iif(machines, r.gbs, NULL)
            WHEN by = 'memory' THEN pcie_gbs WHEN by = 'links' THEN l.gbs END,
       CASE WHEN w.hosts = 1 OR machines AND k.gbs THEN NULL
            WHEN NOT machines THEN 'its hosts are one machine, where data takes no network card'
            WHEN machines AND w.verbs IS NULL THEN 'the log names no network between its hosts'
            ELSE 'the record has no rates of its hosts'' network cards' END
FROM w JOIN joined j JOIN line_rate l ON (l.coll, l.adds) = (w.coll, links_add)
LEFT JOIN on_machines m ON m.variant = w.variant
LEFT JOIN network k ON (k.variant, k.verbs) = (w.variant, w.verbs)
LEFT JOIN network_rate r
  ON (r.variant, r.verbs, r.coll, r.adds) = (w.variant, w.verbs, w.coll, w.adds)
ORDER BY w.variant, w.place;

-- A line of the file each; within a cell a semicolon is a comma.
INSERT INTO reached
SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9,
       v ->> 10, v ->> 11, v ->> 12, v ->> 13, v ->> 14
FROM (SELECT key, replace(value, ';', ',') v FROM reached_file, json_each(
        '[["' || replace(replace(text, ',', '","'), char(10), '"],["') || '"]]'))
WHERE key AND json_array_length(v) = 15
ORDER BY key;
DROP TABLE reached_file;
