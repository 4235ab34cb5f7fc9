-- Version 3 of results.db becomes 4: alarms, anchors, and removals that were accepted. Never changed once released (schema/results.sql says
-- why).
--
-- A track is what was asked for: preset, suites, sets, filter, backends, and how it was measured. Runs of one
-- track on one host are nights of one gate.

-- What became slower, as first seen in one run. It is open while one of its metrics is.
CREATE TABLE alarm (
    alarm       INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    track       TEXT NOT NULL,
    first_bad   TEXT NOT NULL,      -- id of the run
    last_good   TEXT NOT NULL,      -- id of the run before it; '': not known
    bad_commit  TEXT NOT NULL,      -- of the first bad run
    good_commit TEXT NOT NULL,      -- of the last good one; '': not known
    since       INTEGER NOT NULL,   -- start of the first bad run
    created     INTEGER NOT NULL,
    culprit     TEXT NOT NULL,      -- the commit that 'bench bisect' found; '': none yet
    UNIQUE (fingerprint, track, first_bad)
) STRICT;

-- Ratios are of values over the level before the alarm.
CREATE TABLE alarm_metric (
    alarm      INTEGER NOT NULL REFERENCES alarm ON DELETE CASCADE,
    key        TEXT NOT NULL,       -- of the metric
    unit       TEXT NOT NULL,       -- of its values
    state      TEXT NOT NULL,       -- open, accepted, recovered
    level      REAL,                -- the median before, in that unit
    ratio      REAL,                -- of the first bad run, with its interval
    lo         REAL,
    hi         REAL,
    last_run   TEXT NOT NULL,       -- the last run that was judged, and its ratio
    last_ratio REAL,
    last_lo    REAL,
    last_hi    REAL,
    nights     INTEGER NOT NULL,    -- runs that were judged, the first bad one among them
    closed_run TEXT NOT NULL,       -- with which it recovered or was accepted; '': open
    closed     INTEGER,             -- start of that run, from which on runs teach again; NULL: open
    why        TEXT NOT NULL,       -- why it was accepted
    PRIMARY KEY (alarm, key)
) STRICT, WITHOUT ROWID;

-- An executable that is kept beside the database, and measured in turns with the runs of a track. The newest
-- of a host and track counts.
CREATE TABLE anchor (
    anchor      INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    track       TEXT NOT NULL,
    run         TEXT NOT NULL,      -- id of the run that measured it
    content     TEXT NOT NULL,      -- of what is kept: the name of its folder
    commit_hash TEXT NOT NULL,      -- that it was built from; '': not known
    why         TEXT NOT NULL,      -- why it became the anchor
    created     INTEGER NOT NULL
) STRICT;

-- How far the anchor itself is from the level that a metric is judged against: 0 where it is that level.
CREATE TABLE anchor_level (
    anchor INTEGER NOT NULL REFERENCES anchor ON DELETE CASCADE,
    key    TEXT NOT NULL,           -- of the metric
    shift  REAL NOT NULL,           -- logarithm of the anchor's time over the level
    error  REAL NOT NULL,           -- its standard error
    chain  REAL NOT NULL,           -- logarithm of the anchor's time over that of the track's first anchor
    PRIMARY KEY (anchor, key)
) STRICT, WITHOUT ROWID;

-- 1: the metrics were gone in that run, and are rightly so.
ALTER TABLE accepted ADD COLUMN removal INTEGER NOT NULL DEFAULT 0;

-- All that a history asks of a metric, in the order of its key: else every value is a page of its own.
DROP INDEX metric_by_key;
CREATE INDEX metric_by_key
    ON metric (metric_key, result, median, ci_lo, ci_hi, unit, better, disturbed, invocations);
