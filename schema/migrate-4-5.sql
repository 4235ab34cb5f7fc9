-- Version 4 of results.db becomes 5: digests, by which damage is told. Never changed once released
-- (schema/results.sql says why).

-- Digests: a number over all rows of a run, of the verdicts of its comparison with a baseline, or of a table with what
-- hangs on it. harness/store/digest.c computes them, and fills this table at the end of the migration.
CREATE TABLE digest (
    kind     TEXT NOT NULL,         -- run, verdicts; hosts, devices, baselines, accepted, tuning, alarms, anchors
    id       TEXT NOT NULL,         -- of the run; '': a table's
    baseline TEXT NOT NULL,         -- as it was named; '': not of verdicts
    digest   INTEGER NOT NULL,      -- FNV-1a, 64 bits
    PRIMARY KEY (kind, id, baseline)
) STRICT, WITHOUT ROWID;
