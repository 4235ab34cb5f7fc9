-- Version 1 of results.db becomes 2: runs that are set aside, what disturbed a measurement, accepted shifts,
-- learned thresholds. Never changed once released (schema/results.sql says why).

-- The label "aside": why the run is no part of the history that others are compared with; '': it is part.
ALTER TABLE run ADD COLUMN aside TEXT NOT NULL DEFAULT '';
UPDATE run SET aside = CASE WHEN json_valid(head) THEN coalesce(json_extract(head, '$.run.labels.aside'), '') ELSE '' END;

-- A bit a sample, the first in the lowest bit of the first byte: the machine was disturbed while it was taken.
ALTER TABLE sample ADD COLUMN disturbed BLOB;           -- NULL: none was

-- How many of its invocations were disturbed, and how many there are.
ALTER TABLE metric ADD COLUMN disturbed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric ADD COLUMN invocations INTEGER;      -- NULL: from before version 2

ALTER TABLE verdict ADD COLUMN threshold REAL;          -- the change that matters for this metric; NULL: not kept

-- How the machine was, beside the work itself, while an invocation of a case was sampled.
CREATE TABLE watched (
    result       INTEGER NOT NULL REFERENCES result ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    invocation   INTEGER NOT NULL,
    disturbed    REAL,              -- share of the visits
    canary       REAL,              -- s, the median
    canary_worst REAL,              -- the slowest over the fastest of the run
    others       REAL,              -- processor cores that other processes used, in the worst visit
    steal        REAL,              -- processor cores that the hypervisor took, in the worst visit
    frequency    REAL,              -- Hz, the lowest
    device       TEXT NOT NULL,     -- what the device's driver told
    PRIMARY KEY (result, position)
) STRICT, WITHOUT ROWID;

-- For the metrics whose full name matches, what was measured before `since` is no baseline any more.
CREATE TABLE accepted (
    accepted    INTEGER PRIMARY KEY,
    pattern     TEXT NOT NULL,
    since       INTEGER NOT NULL,   -- start of the first run that counts
    run         TEXT NOT NULL,      -- its id
    fingerprint TEXT NOT NULL,      -- of the host that it holds for; '': of all
    why         TEXT NOT NULL,
    created     INTEGER NOT NULL,
    UNIQUE (pattern, since, fingerprint)
) STRICT;
