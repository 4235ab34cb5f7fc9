-- results.db, the history of all runs: schema version 1. docs/file-formats.md describes it.
--
-- This is what version 0, an empty file, becomes. It is never changed once released: version N
-- becomes N + 1 by schema/migrate-N-(N+1).sql, and harness/store/migrate.c lists the steps.
--
-- Quantities are SI base units; times are Unix seconds; NULL stands for NaN and for "none".

-- A machine, as its stable fingerprint tells it from others. What changes from run to run is in run.head.
CREATE TABLE host (
    host        INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL
) STRICT;

CREATE TABLE device (
    device  INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    slug    TEXT NOT NULL,
    name    TEXT NOT NULL,
    UNIQUE (backend, slug)
) STRICT;

CREATE TABLE run (
    run         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    started     INTEGER NOT NULL,
    finished    INTEGER,            -- NULL: cut short
    interrupted INTEGER NOT NULL,
    preset      TEXT NOT NULL,
    commit_hash TEXT NOT NULL,      -- '' outside of git
    branch      TEXT NOT NULL,
    dirty       INTEGER NOT NULL,
    host        INTEGER NOT NULL REFERENCES host,
    folder      TEXT NOT NULL,
    head        TEXT NOT NULL       -- the event "run" of samples.jsonl: all that is known but the results
) STRICT;
CREATE INDEX run_by_time ON run (started, length(id), id);

CREATE TABLE result (
    result     INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    suite      TEXT NOT NULL,
    device     INTEGER NOT NULL REFERENCES device,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    error      REAL,                -- of the worst check
    tolerance  REAL,
    method     TEXT,                -- NULL: not checked
    iterations INTEGER NOT NULL,
    stopped    TEXT NOT NULL,
    head       TEXT NOT NULL,       -- the event "case" of samples.jsonl: parameters, work, notes
    UNIQUE (run, position)
) STRICT;

-- The full names of all metrics: few, and what patterns are matched against.
CREATE TABLE metric_key (
    metric_key INTEGER PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE -- suite/backend:device/k=v,k=v/metric
) STRICT;

CREATE TABLE metric (
    metric       INTEGER PRIMARY KEY,
    result       INTEGER NOT NULL REFERENCES result ON DELETE CASCADE,
    metric_key   INTEGER NOT NULL REFERENCES metric_key,
    name         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    better       TEXT NOT NULL,     -- lower, higher, none
    derived_from TEXT NOT NULL,     -- '': measured
    median       REAL,
    ci_lo        REAL,
    ci_hi        REAL,
    ci_level     REAL,
    ci_over      TEXT NOT NULL,     -- invocations, samples
    min          REAL,
    mean         REAL,
    stddev       REAL,
    p05          REAL,
    p95          REAL,
    n            INTEGER NOT NULL
) STRICT;
CREATE INDEX metric_by_result ON metric (result);
CREATE INDEX metric_by_key ON metric (metric_key);

-- The samples of a measured metric in one invocation: doubles, little-endian, deflated (zlib, RFC 1950).
CREATE TABLE sample (
    sample     INTEGER PRIMARY KEY,
    metric     INTEGER NOT NULL REFERENCES metric ON DELETE CASCADE,
    invocation INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    data       BLOB NOT NULL,
    UNIQUE (metric, invocation)
) STRICT;

CREATE TABLE baseline (
    baseline INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    created  INTEGER NOT NULL
) STRICT;

CREATE TABLE baseline_run (
    baseline INTEGER NOT NULL REFERENCES baseline ON DELETE CASCADE,
    run      INTEGER NOT NULL REFERENCES run,
    position INTEGER NOT NULL,
    PRIMARY KEY (baseline, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX baseline_run_by_run ON baseline_run (run);

-- What the last comparison of a run with a baseline (as it was named) came to.
CREATE TABLE verdict (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    baseline   TEXT NOT NULL,
    key        TEXT NOT NULL,       -- of the metric; for a broken case, of the case
    verdict    TEXT NOT NULL,
    ratio      REAL,
    lo         REAL,
    hi         REAL,
    p_adjusted REAL,
    mde        REAL,
    PRIMARY KEY (run, baseline, key)
) STRICT, WITHOUT ROWID;
