-- What several chapters ask.

-- Variants that the experiment's file asks for.
CREATE VIEW asked AS
SELECT * FROM variant WHERE role NOT IN ('again', 'limit');

-- A row if there are more ranks than cores.
CREATE VIEW oversubscribed AS
SELECT value cores FROM environment
WHERE key = 'machine.cores' AND value > 0 AND value < (SELECT max(ranks) FROM place);

-- Facts that are numbers.
CREATE VIEW figure AS
SELECT trial, worker, key, CAST(value AS REAL) x
FROM fact
WHERE value GLOB '[0-9]*' AND value NOT GLOB '*[^0-9.]*';

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
       max(p50_us) FILTER (WHERE short) p50_us,
       max(p95_us) FILTER (WHERE short) p95_us,
       max(p95_us_lo) FILTER (WHERE short) p95_us_lo,
       max(p95_us_hi) FILTER (WHERE short) p95_us_hi,
       max(p99_us) FILTER (WHERE short) p99_us,
       max(p99_us_lo) FILTER (WHERE short) p99_us_lo,
       max(p99_us_hi) FILTER (WHERE short) p99_us_hi,
       max(bytes) FILTER (WHERE short) small_bytes,
       max(time_us) FILTER (WHERE long) stream_us,
       max(busbw_gbs) FILTER (WHERE large) gbs,
       max(busbw_gbs_lo) FILTER (WHERE large) gbs_lo,
       max(busbw_gbs_hi) FILTER (WHERE large) gbs_hi,
       max(1e3 * time_us / elements) FILTER (WHERE large) element_ns,
       max(bytes) FILTER (WHERE large) bytes
FROM outcome
GROUP BY variant, coll, dtype, op, in_place, root, ranks;
