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
  isolated_calls INTEGER, -- of a trial
  p99_calls      INTEGER, -- that a p99 needs
  measured       INTEGER, -- 1: any place has a time
  data           INTEGER, -- 1: any backend carries data
  has_isolated   INTEGER, -- 1: calls by themselves were measured, not of the limit alone
  compared       INTEGER, -- 1: times are compared with the reference
  explained      INTEGER, -- 1: what a gap is made of is known
  by_version     INTEGER, -- 1: libraries are compared
  searched       INTEGER, -- 1: the run is a search
  lacks_blocks   INTEGER, -- 1: too few to compare, though it was asked
  factors        INTEGER, -- that the file asks for
  asked_gap      INTEGER, -- 1: it asks for a gap
  missing_counters TEXT   -- what counters lack, as the record says it
);

-- How often verdicts could be seen before measuring went on: one row.
CREATE TABLE look(
  blocks     INTEGER,
  looks      INTEGER,
  first      INTEGER, -- blocks at the first
  added      INTEGER, -- since
  confidence TEXT,    -- of an interval, to its last digit: 98.75 %
  by_width   INTEGER  -- 1: the width of intervals chose the blocks
);

-- What the analysis knows of each variant beyond its row.
CREATE TABLE known(
  variant     INTEGER PRIMARY KEY,
  measured    INTEGER,
  drawn       INTEGER, -- its place in pictures of all sizes; or nothing
  compared    INTEGER, -- 1: with the reference
  other_ranks INTEGER, -- 1: not as many as the reference
  placebo     INTEGER, -- 1: its settings should change nothing
  idle        TEXT,    -- why it is the same as idle_as; or nothing
  idle_as     TEXT,
  asked       INTEGER, -- 1: neither the reference again nor the limit
  launches    INTEGER, -- 1: a device does the work, not the worker
  library     TEXT,
  said_path   TEXT     -- the data path, as its workers said
);

-- A setting in which a variant differs from another; ranks and env.NAME are such keys too. What
-- starts one process, and what the harness checks itself by, is no difference.
CREATE TABLE differs(variant INTEGER, other INTEGER, key TEXT);
CREATE INDEX differs_of ON differs(variant, other);

-- A variable of a variant's environment that did nothing, by the library's log.
CREATE TABLE idle(variant INTEGER, key TEXT);

-- A collective at a size and a pace.
CREATE TABLE place(
  id          INTEGER PRIMARY KEY,
  grp         INTEGER, -- the same where the size alone differs
  nth         INTEGER, -- of the sizes of its group, from 1
  sizes       INTEGER, -- how many these are
  is_limit    INTEGER, -- 1: the limit's alone
  judged      INTEGER, -- 1: a verdict on it alone says something
  coll        TEXT,
  coll_nth    INTEGER, -- its place among all
  what        TEXT,    -- the collective in words: sendrecv in float16, in place
  title       TEXT,
  dtype       TEXT,
  op          TEXT,
  root        INTEGER,
  in_place    INTEGER,
  pace        TEXT,
  ranks       INTEGER,
  whole       INTEGER, -- 1: all of them in one communicator
  sender      INTEGER, -- of a pair of ranks
  receiver    INTEGER,
  asked_bytes INTEGER,
  bytes       INTEGER,
  elements    INTEGER,
  moved_bytes INTEGER  -- what bandwidth is of
);

-- A variant at a place: medians over blocks, with quartiles; p95 and p99 with the 95 % interval of
-- their medians.
CREATE TABLE result(
  variant INTEGER, place INTEGER, blocks INTEGER,
  failed  INTEGER,             -- trials
  time_us REAL, time_us_lo REAL, time_us_hi REAL,
  -- By the workers' own clocks.
  time_rank0_us REAL, time_mean_us REAL, time_min_us REAL, time_max_us REAL,
  algbw_gbs REAL,
  busbw_gbs REAL, busbw_gbs_lo REAL, busbw_gbs_hi REAL,
  p50_us REAL,
  p95_us REAL, p95_us_lo REAL, p95_us_hi REAL,
  p99_us REAL, p99_us_lo REAL, p99_us_hi REAL,
  launch_us REAL, skew_us REAL, resolution_us REAL,
  ratio REAL, ratio_lo REAL, ratio_hi REAL, ratio_blocks INTEGER, -- speed against the reference
  effect TEXT,                 -- by that faster, slower, as fast, undecided; or nothing
  wrong INTEGER, faults INTEGER, switches INTEGER, -- sums
  digest_ok INTEGER,
  straggler INTEGER,           -- the rank that ends last most often
  straggler_share REAL,        -- of the calls
  straggler_us REAL,           -- by so much
  limit_gbs REAL,              -- of plain copies at that size
  PRIMARY KEY(variant, place)
);

-- What comparisons are of: a variant at a place in a block. The reference's value is the mean of its
-- trial's and its twin's, or the one that there is.
CREATE TABLE level(
  variant INTEGER, place INTEGER, block INTEGER,
  time REAL,                   -- natural logarithm of its ns
  busbw REAL,                  -- and of its GB/s; nothing without data
  PRIMARY KEY(variant, place, block)
);

-- One rank of it: medians over trials.
CREATE TABLE result_rank(
  variant INTEGER, place INTEGER, rank INTEGER,
  skew_us REAL, launch_us REAL,
  finish_us REAL,              -- its own end, from the first start of any rank
  late_us REAL,                -- that after the ranks' mean
  last REAL, last_by_us REAL,  -- share of the rows in which it ended last; by so much
  PRIMARY KEY(variant, place, rank)
);

-- A variant over all sizes of a group: one number a block.
CREATE TABLE over_sizes(
  variant INTEGER, grp INTEGER,
  speed REAL, speed_lo REAL, speed_hi REAL, speed_blocks INTEGER,
  verdict TEXT
);

-- Sizes that are judged together.
CREATE TABLE regime(
  nth     INTEGER PRIMARY KEY,
  name    TEXT,    -- small, large
  label   TEXT,    -- the same; of a third of the sizes: the smallest, the largest
  about   TEXT,    -- its sizes and metric
  sizes   TEXT,
  metric  TEXT,
  third   INTEGER,
  pace    TEXT,
  from_bytes INTEGER, to_bytes INTEGER, -- its range of sizes, as asked
  tells   INTEGER  -- 1: it can distinguish variants
);

-- A variant in a regime, against the reference.
CREATE TABLE speed(
  regime INTEGER, variant INTEGER,
  value REAL,        -- of the metric
  speed REAL, speed_lo REAL, speed_hi REAL, speed_blocks INTEGER,
  verdict TEXT,
  effect TEXT,       -- faster, slower, as fast, undecided
  word TEXT,         -- the same in the words of verdicts
  cells INTEGER,
  within INTEGER     -- 1: surely within the margin
);

-- A variant at a place, against the one that differs from it only in the library's next version.
CREATE TABLE version_speed(
  variant INTEGER, place INTEGER, newer INTEGER,
  speed REAL, speed_lo REAL, speed_hi REAL, speed_blocks INTEGER,
  PRIMARY KEY(variant, place)
);

-- The path of a variant's data in words, by the library's log.
CREATE TABLE way(
  variant INTEGER PRIMARY KEY,
  transport TEXT, unexpected TEXT, links TEXT, data_path TEXT, registered TEXT, copy_engine TEXT,
  channels TEXT, chunk TEXT, algorithms TEXT, launched TEXT, why TEXT, mixed TEXT
);

-- A variant's counters at a place: means over ranks.
CREATE TABLE counted(
  id INTEGER PRIMARY KEY, variant INTEGER, place INTEGER, blocks INTEGER,
  nvlink_tx_gbs REAL, nvlink_rx_gbs REAL, of_limit REAL, dram_gbs REAL, dram_of_peak REAL,
  dram_per_nvlink REAL, model REAL, direct REAL, staged REAL, cached REAL, sm_busy REAL,
  pcie_tx_gbs REAL, copies REAL, copies_model REAL, issue_cores REAL
);

-- The same of one rank.
CREATE TABLE counted_rank(
  counted INTEGER, rank INTEGER, blocks INTEGER,
  nvlink_tx_gbs REAL, nvlink_rx_gbs REAL, dram_gbs REAL, dram_limit_gbs REAL,
  dram_per_nvlink REAL, sm_percent REAL, busy_percent REAL, memory_busy_percent REAL,
  pcie_tx_gbs REAL, pcie_rx_gbs REAL, copied_bytes REAL, delivered_bytes REAL,
  copies_per_byte REAL, issue_cores REAL, seconds REAL
);

-- A host of a variant on several, over all trials. The first one's clock is the one that counts.
CREATE TABLE host(
  variant INTEGER, host INTEGER,
  name TEXT, ranks INTEGER,
  offset_s REAL, drift_ppm REAL,     -- of its clock; medians
  bound_us REAL, round_trip_us REAL, -- the most; the least
  meets INTEGER,                     -- sum
  late REAL, late_us REAL,           -- share of these; the most
  margin_us REAL,                    -- median
  PRIMARY KEY(variant, host)
);

-- A rank's device with its links, of the reference's ranks.
CREATE TABLE device(
  rank INTEGER PRIMARY KEY,
  device TEXT, name TEXT,
  numa INTEGER,
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
  sender INTEGER, receiver INTEGER,
  class_nth INTEGER, class TEXT,
  brief TEXT,        -- the same, and how many: NVS ×18
  nvlinks INTEGER,   -- up, that lead there
  theoretical_gbs REAL, -- one way
  PRIMARY KEY(sender, receiver)
);

-- Ordered pairs of ranks of one class.
CREATE TABLE link_class(
  nth INTEGER PRIMARY KEY, class TEXT, pairs INTEGER,
  expected_gbs REAL,    -- that sends and receives should reach at least
  theoretical_gbs REAL, -- the median's
  source TEXT           -- of what is expected
);

-- A link while all ranks send to all; the heaviest load first.
CREATE TABLE link_load(
  nth INTEGER PRIMARY KEY, name TEXT,
  pairs INTEGER,        -- that cross it, in its busier direction
  gbs REAL              -- one way
);

-- What the library chose for a variant's calls at a place, by its log.
CREATE TABLE choice(
  variant INTEGER, place INTEGER, algorithm TEXT, protocol TEXT, channels INTEGER,
  PRIMARY KEY(variant, place)
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
  cores INTEGER,
  shared INTEGER,         -- 1: fewer cores than ranks
  uncompared TEXT         -- why no speed is compared
);

-- Chapters of this program.
CREATE TABLE chapter(name TEXT);

-- What the blocks of a run with too few of them showed: of the primary claim's two variants, or of
-- those of each regime. A row for each block that has both.
CREATE TABLE seen(
  regime INTEGER, variant INTEGER, against INTEGER,
  ratio REAL, -- of the claim's metric, about; of speed
  about TEXT
);

-- A session after the first.
CREATE TABLE session(
  launchgap TEXT, boot TEXT, -- its build; its machine's start
  first_block INTEGER,
  begun INTEGER, trials INTEGER, -- of that block measured before, of so many; or nothing
  pause_s REAL,
  far INTEGER                -- 1: the pause is longer than a block
);

-- A path that is not what its variant expects.
CREATE TABLE unexpected(variant INTEGER, expected TEXT, taken TEXT);

-- How far a result can be trusted.
CREATE TABLE watched(
  variant INTEGER, place INTEGER,
  timed_calls INTEGER, seconds REAL, -- calls x ranks; sums
  row_us REAL,               -- a stretch, or an isolated call
  step_us REAL,              -- of the clock
  poll_us REAL,              -- of a device: how late an end may be seen
  apart_us REAL,             -- how far apart its hosts begin
  early REAL,                -- the first rows' time against the others', where it is systematic
  copies_gbs REAL,           -- plain copies of that size
  PRIMARY KEY(variant, place)
);

-- Where a cell belongs.
CREATE TABLE cell_place(cell INTEGER PRIMARY KEY, place INTEGER);

-- What pictures there are: one row.
CREATE TABLE drawn(
  collectives INTEGER, each INTEGER, detail INTEGER, -- more have none of their own; no details
  curves INTEGER, left_out INTEGER                   -- variants
);

-- A group with pictures of curves.
CREATE TABLE pictured(
  grp INTEGER PRIMARY KEY,
  compared INTEGER,  -- 1: with the reference
  silent INTEGER,    -- 1: no speed is compared at all
  against TEXT, at_sizes TEXT, -- at these sizes; or nothing: at all
  why TEXT, least REAL      -- why small differences are not seen there; from where on they are
);

-- 95 % of a variant's single calls of the smallest size take at most so long.
CREATE TABLE tail(grp INTEGER, variant INTEGER, us REAL);

-- A rank's end after the mean of all, as a share of the call.
CREATE TABLE off_mean(
  grp INTEGER, variant INTEGER, asked_bytes INTEGER, rank INTEGER, share REAL,
  sure INTEGER -- 1: beyond the margin in nearly all trials, and more than a poll round
);

-- A variant's speed against the reference at these sizes.
CREATE TABLE curve_speed(
  grp INTEGER, variant INTEGER, ord INTEGER,
  kind INTEGER,      -- of the verdict: faster, slower, both by under the margin, as fast, undecided
  speed REAL,
  detectable REAL    -- the least effect that could have been seen
);
