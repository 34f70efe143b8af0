-- Where a run's time went. The runner's clock says when each job began and ended, and the first
-- rank's worker how long its phases took. Start is from the job's begin to that worker's first
-- phase, close the rest of it: after its last phase, and where it waited for the job before. A
-- job's time ends where the next one starts. Jobs without phases (they failed) count as a whole.
-- What is in no job, set-up or report is the rest: the runner between jobs, and starts and closes
-- of jobs on a host with another clock.

-- Of each session the times, and of each cell its phases.
CREATE TEMP TABLE spent_job("on", session, variant, block, ord, from_ns INTEGER, to_ns INTEGER);
CREATE TEMP TABLE spent_cell(variant, block, ord, from_ns, connect, prepare, warm_up, calls,
                             counters, timeline, "check");

-- In their order; the last one is all.
CREATE TEMP VIEW spent_part AS
WITH
  wall AS (SELECT sum(ns) ns FROM (SELECT max(to_ns) - min(from_ns) ns FROM spent_job
                                   GROUP BY session) WHERE ns > 0),
  job AS (SELECT j.rowid, j.from_ns, j.to_ns, min(c.from_ns) first, sum(connect) connect,
                 sum(prepare) prepare, sum(warm_up) warm_up, sum(calls) calls,
                 sum(counters) counters, sum(timeline) timeline, sum("check") checking
          FROM spent_job j LEFT JOIN spent_cell c USING (variant, block, ord)
          WHERE j."on" = 'trial' GROUP BY j.rowid),
  placed AS (SELECT *, first - from_ns start, to_ns - first - connect - prepare - warm_up - calls
                       - counters - timeline - checking close FROM job),
  part(nth, part, ns) AS (
    SELECT 1, 'setting up the run', sum(to_ns - from_ns) FROM spent_job WHERE "on" = 'set-up'
    UNION ALL SELECT 2, 'starting jobs', sum(start) FROM placed WHERE start >= 0 AND close >= 0
    UNION ALL SELECT 3, 'connecting', sum(connect) FROM job
    UNION ALL SELECT 4, 'preparing inputs', sum(prepare) FROM job
    UNION ALL SELECT 5, 'warming up', sum(warm_up) FROM job
    UNION ALL SELECT 6, 'timed calls', sum(calls) FROM job
    UNION ALL SELECT 7, 'counters', sum(counters) FROM job
    UNION ALL SELECT 8, 'timelines', sum(timeline) FROM job
    UNION ALL SELECT 9, 'checking results', sum(checking) FROM job
    UNION ALL SELECT 10, 'closing jobs', sum(close) FROM placed WHERE start >= 0 AND close >= 0
    UNION ALL SELECT 11, 'jobs that log the data path', sum(to_ns - from_ns) FROM spent_job
              WHERE "on" = 'path'
    UNION ALL SELECT 12, 'jobs that failed', sum(to_ns - from_ns) FROM job WHERE first IS NULL
    UNION ALL SELECT 13, 'the report', sum(to_ns - from_ns) FROM spent_job WHERE "on" = 'report')
SELECT nth, part, 1e-9 * ns seconds FROM (
  SELECT nth, part, ifnull(p.ns, 0) ns FROM part p
  UNION ALL SELECT 14, 'the rest', wall.ns - (SELECT total(x.ns) FROM part x) FROM wall
  UNION ALL SELECT 15, 'all', ns FROM wall)
WHERE (SELECT ns FROM wall) > 0;
