-- The tables of a run. The end of a name is its unit: _ns, _us, _s, _bytes, _gbs, _mib. Rows are in
-- the record's order. Of times and bandwidths take the median or the geometric mean, never the sum;
-- what may be added up says "sum".

-- The record's first line: its members; those of an object as machine.cpu, a list as JSON.
CREATE TABLE environment(key TEXT PRIMARY KEY, value);

CREATE TABLE variant(
  id        INTEGER PRIMARY KEY,
  name      TEXT UNIQUE,
  role      TEXT,    -- variant; reference; again: the reference a second time; limit: plain copies
  mode      TEXT,
  layout    TEXT,    -- processes x threads x ranks of a thread
  processes INTEGER,
  threads   INTEGER, -- of a process
  ranks     INTEGER, -- in all
  backend   TEXT,
  bind      TEXT,
  gpus      INTEGER, -- 1: a rank is a GPU
  skip      TEXT     -- why it was left out; or nothing
);

-- A variant's settings, and the variables that it sets (env.NAME), as an experiment file writes
-- them; none if this program does not know them.
CREATE TABLE setting(
  variant INTEGER,
  key     TEXT,
  value   TEXT,
  usual   TEXT,      -- the default; of a variable nothing
  PRIMARY KEY(variant, key)
);

-- A fresh job of a variant in a block.
CREATE TABLE trial(
  id        INTEGER PRIMARY KEY,
  variant   INTEGER,
  block     INTEGER, -- from 0
  ord       INTEGER, -- its place in the run
  written_s INTEGER, -- when it ended, since 1970
  last_s    INTEGER  -- the same of its last cell
);

-- What a worker said of itself at its trial's end.
CREATE TABLE fact(trial INTEGER, worker INTEGER, key TEXT, value);

-- One collective at one size in one trial. Times are medians over its rows (stretches, or calls of
-- pace isolated).
CREATE TABLE cell(
  id          INTEGER PRIMARY KEY,
  trial       INTEGER,
  pass        TEXT,    -- timed; counters; timeline
  pace        TEXT,    -- stream; isolated
  coll        TEXT,
  coll_nth    INTEGER, -- its place among all
  dtype       TEXT,
  dtype_nth   INTEGER,
  op          TEXT,
  in_place    INTEGER,
  root        INTEGER,
  ranks       INTEGER, -- of the trial
  comm_ranks  INTEGER, -- of a communicator, if it has fewer; else 0
  asked_bytes INTEGER, -- as the file says
  bytes       INTEGER, -- used: rounded to whole elements for each rank
  moved_bytes INTEGER, -- what bandwidth is of
  cycle       INTEGER, -- of a soak
  connection  INTEGER, -- how often the trial had connected before
  allocation  INTEGER, -- and allocated its buffers
  rows        INTEGER,
  calls       INTEGER, -- in a row
  time_ns     REAL,    -- a call, from the first start to the last end of any rank
  p95_ns      REAL,    -- over the rows
  p99_ns      REAL,    -- the same, of 500 rows or more
  launch_ns   REAL,    -- until the slowest rank's call returned
  skew_ns     REAL,    -- from the first rank's start to the last one's
  poll_ns     REAL,    -- how late an end may be seen
  calls_ns    REAL,    -- all rows; sum
  check_ns    REAL,    -- checking what they left, the slowest worker; sum
  checked     INTEGER, -- 1: each element was compared with its exact answer
  fresh       INTEGER, -- 1: only one more call was, as in place the timed ones reduce their results
  wrong       INTEGER, -- elements; sum
  faults      INTEGER, -- page faults in timed calls; sum
  switches    INTEGER, -- of the workers' cores; sum
  line        INTEGER, -- of the record
  no_length   INTEGER, -- 1: a rank's call took 0 ns
  off_rows    INTEGER, -- left out, as a rank's worker was off its core; rows has the others
  off_rank    INTEGER, -- the one that was off for longest; NULL: none was left out
  off_ns      INTEGER, -- so long; NULL: the same
  error       TEXT     -- why nothing was measured; or nothing
);
CREATE INDEX cell_of_trial ON cell(trial);

-- What hardware or library counted meanwhile, of cells of pass counters. issue_cores: CPU time of
-- issuing by the time that it takes, a worker's at its first rank.
CREATE TABLE counter(cell INTEGER, rank INTEGER, key TEXT, value);
CREATE INDEX counter_of_cell ON counter(cell);

-- How the hosts of a trial on several met, of its first cell: clock_offset_ns, meets, late … The
-- first host's clock is the one that counts.
CREATE TABLE meeting(cell INTEGER, host INTEGER, key TEXT, value);

-- What ran in the last row of a cell that is a step of training: work and communication,
-- from the cell's begin on.
CREATE TABLE span(cell INTEGER, lane INTEGER, rank INTEGER, start_ns INTEGER, end_ns INTEGER);
CREATE INDEX span_of_cell ON span(cell);

-- The path of a variant's data, by the library's log: transport, data_path, p2p_channels …;
-- taken: in words; pairs: of ranks, by transport, if there are several.
CREATE TABLE path(variant INTEGER, key TEXT, value);
CREATE INDEX path_of ON path(variant, key);

-- Trials that left nothing else.
CREATE TABLE failure(variant INTEGER, block INTEGER, ord INTEGER, written_s INTEGER, error TEXT);

-- What the run's time went to; the last row is all of it.
CREATE TABLE phase(part TEXT, seconds REAL); -- sum
