-- Version 2 of results.db becomes 3: what 'bench tune' measured. Never changed once released
-- (schema/results.sql says why).

-- A candidate for a tunable of a backend, measured against the value that was current by then. The current value
-- of a tunable is the one that was chosen last. Ratios are of times; NULL: it failed or gave a wrong result.
CREATE TABLE tuning (
    tuning      INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    backend     TEXT NOT NULL,
    device      TEXT NOT NULL,      -- slug
    driver      TEXT NOT NULL,      -- the device's, with its version
    name        TEXT NOT NULL,      -- of the tunable
    value       INTEGER NOT NULL,
    base        INTEGER NOT NULL,   -- the value that it was measured against
    step        REAL,               -- ratio over the base, with its interval
    step_lo     REAL,
    step_hi     REAL,
    ratio       REAL,               -- ratio over the default, with its interval
    lo          REAL,
    hi          REAL,
    chosen      INTEGER NOT NULL,   -- 1: it became the current value
    run         TEXT NOT NULL,      -- the id of the run that measured it
    created     INTEGER NOT NULL,
    UNIQUE (fingerprint, backend, device, driver, name, value)
) STRICT;
