-- What the analysis makes of a run's tables: its figures, until chapters ask for them by SQL alone.
-- A ratio or an interval is x, x_lo and x_hi; without an interval the last two are missing.

-- The run: one row.
CREATE TABLE given(
  reference      TEXT,    -- the variant with which others are compared; or nothing
  machine        TEXT,
  margin         REAL,    -- of verdicts; 0.02 is 2 %
  confidence     REAL,    -- of intervals
  blocks         INTEGER, -- whole ones
  least_blocks   INTEGER, -- for an interval
  ngroups        INTEGER, -- of places
  few_groups     INTEGER, -- 1: few enough for tables by size
  isolated_calls INTEGER, -- of a trial, the most
  least_calls    INTEGER, -- the same, the fewest
  p99_calls      INTEGER, -- that a p99 needs
  measured       INTEGER, -- 1: any place has a time
  data           INTEGER, -- 1: any backend carries data
  has_isolated   INTEGER, -- 1: calls by themselves were measured, not of the limit alone
  compared       INTEGER, -- 1: times are compared with the reference
  uncompared     TEXT,    -- why not; or nothing
  trouble        TEXT,    -- how the variants did not do the same work; or nothing
  latency_why    TEXT,    -- latency is not judged; or ""
  searched       INTEGER, -- 1: the run is a search
  lacks_blocks   INTEGER, -- 1: too few to compare, though it was asked
  gpus           INTEGER, -- 1: ranks are GPUs, by the run's backend
  disturbed      INTEGER, -- 1: no verdict counts: ranks share cores, or those of a busy machine
  job_s          REAL,    -- a trial's job took, on the mean
  counts         TEXT     -- of alltoallv, in its smallest numbers; or nothing: it was not measured
);

-- How often verdicts could be seen before measuring went on: one row.
CREATE TABLE look(
  blocks INTEGER, looks INTEGER,
  first      INTEGER, -- blocks at the first
  added      INTEGER, -- since
  confidence TEXT,    -- of an interval, to its last digit: 98.75 %
  chance     TEXT,    -- that it misses
  by_width   INTEGER  -- 1: the width of intervals chose the blocks
);

-- What the analysis knows of each variant beyond its row.
CREATE TABLE known(
  variant INTEGER PRIMARY KEY, measured INTEGER,
  drawn       INTEGER, -- its place in pictures of all sizes; or nothing (analysis/drawn.sql)
  compared    INTEGER, -- 1: with the reference
  other_ranks INTEGER, -- 1: not as many as the reference
  placebo     INTEGER, -- 1: its settings should change nothing (factors.sql)
  asked       INTEGER, -- 1: neither the reference again nor the limit
  pictured    INTEGER, -- its place among all curves, from 1 on; 0: pictures have it not
  launches    INTEGER, -- 1: a device does the work, not the worker
  library     TEXT,
  said_path   TEXT,    -- the data path, as its workers said
  like_reference INTEGER -- 1: the reference but for mode and library
);

-- A setting in which a variant differs from another; ranks and env.NAME are such keys too. What
-- starts one process, and what the harness checks itself by, is no difference.
CREATE TABLE differs(variant INTEGER, other INTEGER, key TEXT);
CREATE INDEX differs_of ON differs(variant, other);

-- A collective at a size and a pace.
CREATE TABLE place(
  id          INTEGER PRIMARY KEY,
  grp         INTEGER, -- the same where the size alone differs
  nth         INTEGER, -- of the sizes of its group, from 1
  sizes       INTEGER, -- how many these are
  is_limit    INTEGER, -- 1: the limit's alone
  judged      INTEGER, -- 1: a verdict on it alone says something
  of_step     INTEGER, -- 1: part of a step that is measured as a whole
  coll        TEXT,
  coll_nth    INTEGER, -- its place among all
  what        TEXT,    -- the collective in words: sendrecv in float16, in place
  title TEXT, dtype TEXT, op TEXT, root INTEGER, in_place INTEGER, pace TEXT,
  ranks       INTEGER,
  comm_ranks  INTEGER, -- of a communicator
  whole       INTEGER, -- 1: all of them in one
  sender      INTEGER, -- of a pair of ranks
  receiver INTEGER, asked_bytes INTEGER, bytes INTEGER, elements INTEGER,
  moved_bytes INTEGER, -- what bandwidth is of
  rooted      INTEGER, -- 1: its collective has a root
  may_in_place INTEGER, -- 1: and is done in place too
  counted_bytes REAL,  -- that algbw is of
  bus_factor REAL      -- of busbw by algbw
);

-- In their order: collective, pace and so on, then size. cell: the first of the first variant.
CREATE VIEW place_found AS
WITH found AS (
  SELECT coll_nth, pace, dtype_nth, op, in_place, root, comm_ranks, c.ranks, bytes,
         min((variant << 32) + c.id) & ((1 << 32) - 1) cell, min(role = 'limit') of_limit
  FROM cell c JOIN trial t ON t.id = trial JOIN variant v ON v.id = variant
  WHERE pass = 'timed'
  GROUP BY coll_nth, pace, dtype_nth, op, in_place, root, comm_ranks, c.ranks, bytes),
grouped AS (
  SELECT *, dense_rank() OVER (ORDER BY coll_nth, pace = 'isolated', dtype_nth,
                               instr('sum prod min max avg premulsum none', op), in_place, root,
                               comm_ranks, ranks) - 1 grp
  FROM found)
SELECT cell, grp, row_number() OVER (ORDER BY grp, bytes) - 1 id,
       row_number() OVER (PARTITION BY grp ORDER BY bytes) nth,
       count(*) OVER (PARTITION BY grp) sizes, min(of_limit) OVER (PARTITION BY grp) is_limit
FROM grouped;

-- A variant at a place: medians over blocks, with quartiles; p95 and p99 with the 95 % interval of
-- their medians.
CREATE TABLE result(
  variant INTEGER, place INTEGER, blocks INTEGER,
  failed  INTEGER,             -- trials
  time_us REAL, time_us_lo REAL, time_us_hi REAL,
  -- By the workers' own clocks.
  time_rank0_us REAL, time_mean_us REAL, time_min_us REAL, time_max_us REAL, algbw_gbs REAL,
  busbw_gbs REAL, busbw_gbs_lo REAL, busbw_gbs_hi REAL, p50_us REAL,
  p95_us REAL, p95_us_lo REAL, p95_us_hi REAL, p99_us REAL, p99_us_lo REAL, p99_us_hi REAL,
  launch_us REAL, skew_us REAL, resolution_us REAL,
  ratio REAL, ratio_lo REAL, ratio_hi REAL, ratio_blocks INTEGER, -- speed against the reference
  effect TEXT,                 -- by that faster, slower, as fast, undecided; or nothing
  wrong INTEGER, faults INTEGER, switches INTEGER, -- sums
  straggler INTEGER,           -- the rank that ends last most often
  straggler_share REAL,        -- of the calls
  straggler_us REAL,           -- by so much
  limit_gbs REAL,              -- of plain copies at that size
  timed_calls INTEGER,         -- of ranks; sum
  lost_cores INTEGER,          -- 1: more switches than on a quiet machine
  row_us REAL,                 -- a stretch, or an isolated call
  step_us REAL,                -- of the clock
  early REAL,                  -- the first rows' time against the others', where it is systematic
  PRIMARY KEY(variant, place)
);

-- What comparisons are of: a variant at a place in a block, one trial. Natural logarithms of ns and
-- GB/s.
CREATE TABLE level(
  variant INTEGER, place INTEGER, block INTEGER, time REAL,
  busbw REAL,                  -- nothing without data
  own_us REAL,                 -- the same time in µs
  p95 REAL, p99 REAL, launch REAL,
  PRIMARY KEY(variant, place, block)
);

-- The trials that a comparison is of: nth 1 is the reference's second one, its twin's.
CREATE VIEW tried AS
SELECT variant, place, block, 0 nth, time, busbw FROM level
UNION ALL
SELECT r.id, place, block, 1, time, busbw
FROM level JOIN variant t ON t.id = level.variant, variant r
WHERE t.role = 'again' AND r.role = 'reference';

-- One rank of it: medians over trials.
CREATE TABLE result_rank(
  variant INTEGER, place INTEGER, rank INTEGER, skew_us REAL, launch_us REAL,
  finish_us REAL,              -- its own end, from the first start of any rank
  late_us REAL,                -- that after the ranks' mean
  late_sure_us REAL,           -- in nearly all trials
  last REAL, last_by_us REAL,  -- share of the rows in which it ended last; by so much
  PRIMARY KEY(variant, place, rank)
);

-- Sizes that are judged together.
CREATE TABLE regime(
  nth     INTEGER PRIMARY KEY,
  name    TEXT,    -- small, large
  label   TEXT,    -- the same; of a third of the sizes: the smallest, the largest
  about   TEXT,    -- its sizes and metric
  sizes TEXT, metric TEXT, third INTEGER, pace TEXT,
  from_bytes INTEGER, to_bytes INTEGER, -- its range of sizes, as asked
  tells   INTEGER, -- 1: it can distinguish variants
  doubt   TEXT,    -- why not, a sentence
  least_effect REAL, -- that it shows; 0.07 is 7 %
  off     REAL,    -- the far end of an A/A line within the margin that excludes 1; else 0
  least_bytes INTEGER, most_bytes INTEGER -- its smallest and largest size
);

-- The sizes of a regime at a pace, as asked; of all that were measured those that it holds.
CREATE TABLE regime_range(
  name TEXT, pace TEXT, from_bytes INTEGER, to_bytes INTEGER, third INTEGER,
  least_bytes INTEGER, most_bytes INTEGER, -- nothing: it holds none
  PRIMARY KEY(name, pace)
);

-- What can be compared.
CREATE TABLE metric(
  name TEXT PRIMARY KEY,
  about TEXT, brief TEXT, unit TEXT, -- in words, in few
  counters INTEGER,     -- 1: of that pass
  waits INTEGER,        -- 1: of little meaning if workers share cores
  pace TEXT,            -- that it is about; or nothing
  by_path INTEGER,      -- 1: it depends on the data path
  regime TEXT,          -- of claims that name none; or nothing
  least_calls INTEGER,  -- in a trial
  whole INTEGER         -- 1: of the trial, not of a cell
);

-- Channels that the library gives a pair of ranks, where its log says it.
CREATE TABLE pair_channels(
  variant INTEGER, place INTEGER,
  "all" INTEGER,       -- for sends and receives
  chunk_bytes INTEGER,
  channels INTEGER,    -- of a pair
  bound_bytes INTEGER, -- the largest call with as many; 0: none has more
  beyond INTEGER,      -- channels beyond it
  PRIMARY KEY(variant, place)
);

-- A rank's device with its links, of the reference's ranks.
CREATE TABLE device(
  rank INTEGER PRIMARY KEY, device TEXT, name TEXT, numa INTEGER,
  core_numa INTEGER,         -- of the core that its worker is bound to
  bridge INTEGER,            -- the first rank at its PCIe switch
  nvlinks INTEGER,           -- up
  to_switch INTEGER,         -- of these to NVSwitches
  nvlink_gbs REAL, pcie_gbs REAL, -- one way
  gen INTEGER, width INTEGER, gen_max INTEGER, width_max INTEGER, -- of PCIe
  busy INTEGER,              -- 1: that was read under load
  remark TEXT                -- what its links lack
);

-- The link between the devices of two ranks.
CREATE TABLE link(
  sender INTEGER, receiver INTEGER, class_nth INTEGER, class TEXT,
  brief TEXT,        -- the same, and how many: NVS ×18
  nvlinks INTEGER,   -- up, that lead there
  theoretical_gbs REAL, -- one way
  least_share REAL,  -- of it that sends and receives should reach; 0: no figure is known
  share_source TEXT, -- of that
  PRIMARY KEY(sender, receiver)
);

-- Ordered pairs of ranks of one class, with what sends and receives should reach at least, and the
-- median of what they could.
CREATE VIEW link_class AS
SELECT class_nth nth, class, count(*) pairs,
       nullif(least_share, 0) * median(theoretical_gbs) expected_gbs,
       median(theoretical_gbs) theoretical_gbs, share_source source
FROM link GROUP BY class_nth;

-- What joins all ranks: the kind of links, if it is one, and what those of the narrowest rank carry
-- one way: to all others, to the next, to the host. One row.
CREATE VIEW ranks_joined AS
WITH
  kinds AS (
    SELECT DISTINCT iif(class LIKE 'PCIe%' OR class = 'through host memory', 'PCIe', class) kind
    FROM link),
  sent AS (
    SELECT iif(count(*) = count(theoretical_gbs), sum(theoretical_gbs), NULL) gbs,
           max(theoretical_gbs) FILTER (WHERE receiver = (sender + 1) % n) next
    FROM link, (SELECT count(DISTINCT sender) n FROM link) GROUP BY sender)
SELECT iif(count(*) = 1, max(kind), '') kind,
       (SELECT iif(count(*) = count(gbs), min(gbs), NULL) FROM sent) all_gbs,
       (SELECT iif(count(*) = count(next), min(next), NULL) FROM sent) next_gbs,
       (SELECT iif(count(*) = count(pcie_gbs), min(pcie_gbs), NULL) FROM device
        WHERE EXISTS (SELECT 1 FROM link)) pcie_gbs
FROM kinds;

-- A link while all ranks send to all; the heaviest load first.
CREATE TABLE link_load(
  nth INTEGER PRIMARY KEY, name TEXT,
  pairs INTEGER,        -- that cross it, in its busier direction
  gbs REAL              -- one way
);

-- Two variants that differ in one setting, or in nothing that should matter (a placebo).
CREATE TABLE asked_factor(
  id INTEGER PRIMARY KEY, name TEXT, text TEXT, setting TEXT, before TEXT, after TEXT,
  placebo INTEGER,
  from_bytes INTEGER, to_bytes INTEGER, latency_from INTEGER, latency_to INTEGER,
  why TEXT -- they cannot be compared; or ""
);

-- The gap that it asks about: a row, or none.
CREATE TABLE asked_gap(
  from_name TEXT, to_name TEXT, from_bytes INTEGER, to_bytes INTEGER,
  why TEXT -- they cannot be compared; or ""
);

-- Two variants that a finding compares; contrast.sql answers.
CREATE TABLE asked_contrast(
  id INTEGER PRIMARY KEY,
  finding TEXT, part INTEGER, nth INTEGER, what TEXT, -- and the finding's own keys
  variant INTEGER, against INTEGER, metric TEXT,
  coll_nth INTEGER, -- nothing: all
  from_bytes INTEGER, to_bytes INTEGER,
  regime INTEGER,   -- only what its A/A line lets through; or nothing
  together TEXT,    -- all that are so use the same cells and blocks; or nothing
  pace TEXT,        -- nothing: the metric's
  grp INTEGER,      -- nothing: all
  against_coll INTEGER, -- the other side's own; nothing: the same
  by REAL, times REAL   -- what probabilities are of; nothing: the margin, 1
);

CREATE VIEW asked_found AS
SELECT finding, part, nth, what, variant, against, metric, c.*
FROM asked_contrast a JOIN contrast c ON c.asked = a.id;

-- What the file claims of left ÷ right. claims.sql has the outcome.
CREATE TABLE asked_claim(
  id INTEGER PRIMARY KEY, name TEXT, text TEXT,
  source TEXT,          -- it tests a line of this; or nothing
  says TEXT, original TEXT,              -- the line in English, and as it is there
  needs TEXT,           -- what it lacks here, in place of a test; or nothing
  left_name TEXT, right_name TEXT,       -- variants
  left_coll TEXT, right_coll TEXT,       -- of each side its own collective; or nothing
  left_nth INTEGER, right_nth INTEGER,   -- of each side the collective; nothing: all
  coll TEXT, metric TEXT,
  own_regime TEXT, own_pace TEXT,        -- that it names; or nothing
  kind TEXT,            -- less, more, within, needs
  by REAL, times REAL,  -- within by of times; 0: of the whole
  from_bytes INTEGER, to_bytes INTEGER, is_primary INTEGER,
  analogue INTEGER,     -- 1: the backend is only like the one that is meant
  alpha REAL,           -- the p of a decision
  question TEXT         -- all but the variants: the same in claims that ask the same of others
);

-- The links that a variant's data crosses at a place: their bandwidth bounds its bus bandwidth. Of
-- collectives that have such a bound, in a run with right data.
CREATE TABLE crossed(
  variant INTEGER, place INTEGER,
  hosts  INTEGER, -- of the variant, that are machines
  joined TEXT,    -- the links between GPUs, whatever it crosses
  links  TEXT,    -- those that it crosses
  gbs    REAL,    -- of busbw at most
  why    TEXT,    -- that is not known between hosts
  PRIMARY KEY(variant, place)
);

-- What reference records reached in stream: results/reference/bandwidth.csv, and its rows.
CREATE TABLE reached_file(text TEXT);
CREATE TABLE reached(
  gpu TEXT, layout TEXT, what TEXT, settings TEXT, bytes INTEGER,
  library TEXT, created TEXT, record TEXT, boot TEXT, link TEXT, data_path TEXT,
  blocks INTEGER, gbs REAL, least REAL, most REAL -- the median over blocks, and all of these
);

-- A timed cell's rows (stretches or calls): the median of the logarithms of their times, their
-- standard deviation by quartiles, and when the last one ended.
-- early: how much slower the first rows were; step_ns: the clock's step; the others the medians of
-- their times by the workers' own clocks.
CREATE TABLE cell_rows(
  cell INTEGER PRIMARY KEY, log REAL, sd REAL, until_ns REAL,
  rank0_ns REAL, mean_ns REAL, min_ns REAL, max_ns REAL, early REAL, step_ns REAL
);

-- Roughly what a variant's job takes before it measures, and for each more that it makes.
CREATE TABLE making(
  variant INTEGER PRIMARY KEY,
  connects INTEGER, -- 1: it has communicators
  job_s REAL, connection_s REAL, allocation_s REAL
);

-- How the run went: one row.
CREATE TABLE went(
  lines INTEGER, unsummed INTEGER, -- of the record; those without a checksum
  torn INTEGER,           -- 1: its last line was cut off
  asked INTEGER,          -- blocks, by all sessions; 0: as many as it takes
  begun INTEGER,          -- trials of a block that was cut off
  block_trials INTEGER,   -- of a whole one
  ended TEXT, words TEXT, -- by budget, precision, search, blocks; and in words
  folder TEXT,
  go_on TEXT,             -- the command for the blocks that are missing
  block_s REAL,           -- what a block takes
  next_block INTEGER,     -- after the last one
  cores INTEGER,
  shared INTEGER,         -- 1: fewer cores than ranks
  loaded INTEGER          -- 1: the machine had more to do in the minute before
);

-- Chapters of this program.
CREATE TABLE chapter(name TEXT);

-- A session after the first.
CREATE TABLE session(
  created TEXT,
  launchgap TEXT,            -- its build
  host TEXT, boot TEXT,      -- its machine, and that one's start
  command TEXT,              -- a list as JSON
  counters INTEGER,          -- 1: it read them; 0: it did not
  added INTEGER,             -- 1: to what was planned
  first_block INTEGER,
  begun INTEGER, trials INTEGER, -- of that block measured before, of so many; or nothing
  pause_s REAL,              -- from the last of these to the first after
  far INTEGER                -- 1: the pause is longer than a block, or not known
);

-- Where a cell belongs.
CREATE TABLE cell_place(cell INTEGER PRIMARY KEY, place INTEGER);

-- A search: one row.
CREATE TABLE sought(
  keys  INTEGER, sets INTEGER, -- that were measured
  wants INTEGER,               -- blocks that it takes to confirm any finalist
  confirms INTEGER             -- 1: its confirmation has begun
);

-- What one of its sets has in place of the default's.
CREATE TABLE search_level(
  candidate INTEGER,
  key_nth INTEGER, value_nth INTEGER, -- its place among the keys, and among the key's values
  key TEXT, value TEXT,
  help TEXT                           -- what the setting is
);

-- What a trial of the set gained over the default of its block, as a share.
CREATE TABLE search_trial(candidate INTEGER, place INTEGER, gain REAL);

-- And what the search promises of a finalist, a logarithm (candidates_promise).
CREATE TABLE search_promise(candidate INTEGER, place INTEGER, promised REAL);

-- The sets that are confirmed or not, in their order.
CREATE TABLE finalist(candidate INTEGER, variant INTEGER);
