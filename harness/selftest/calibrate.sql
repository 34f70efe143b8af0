-- Counters against known copies.

-- All that NVML has of a kind.
CREATE TABLE source(
  id          INTEGER PRIMARY KEY,
  name        TEXT,
  unit        TEXT,
  unit_bytes  REAL, -- nothing: it counts something else
  other_bytes REAL  -- what the unit may be instead; or nothing
);

-- A question: one way to copy.
CREATE TABLE cell(
  id        INTEGER PRIMARY KEY,
  way       TEXT,
  direction TEXT,    -- forth, back, both
  piece     INTEGER,
  steady    INTEGER, -- 1: it goes on from before the first reading until after the second
  control   INTEGER  -- 1: nothing is copied
);

-- What a source counted on one of the two GPUs, in its unit.
CREATE TABLE reading(
  cell INTEGER, repeat INTEGER, source INTEGER, gpu INTEGER,
  copied  REAL,      -- bytes in each direction of the cell
  seconds REAL, tx REAL, rx REAL,
  why     TEXT,      -- it is missing; or nothing
  PRIMARY KEY(cell, repeat, source, gpu)
);
