-- Version 4 of results.db becomes 5: what every run repeated is kept once, samples are packed by the result, and what
-- can be computed from them is not kept beside them. Never changed once released (schema/results.sql says why).
--
-- bench_repack and bench_repack_watched are functions of harness/store/repack.c.

ALTER TABLE run ADD COLUMN anchor TEXT NOT NULL DEFAULT '';     -- its label of that name; '': it has none
ALTER TABLE run ADD COLUMN results INTEGER NOT NULL DEFAULT 0;  -- how many it has
ALTER TABLE run ADD COLUMN not_ok INTEGER NOT NULL DEFAULT 0;   -- of them failed or incorrect
ALTER TABLE run ADD COLUMN suites TEXT NOT NULL DEFAULT '';     -- of its results, in their order: 'gemm,transfer'
UPDATE run SET
    anchor = CASE WHEN json_valid(head) THEN coalesce(json_extract(head, '$.run.labels.anchor'), '') ELSE '' END,
    results = (SELECT count(*) FROM result WHERE result.run = run.run),
    not_ok = (SELECT count(*) FROM result WHERE result.run = run.run AND status IN ('failed', 'incorrect')),
    suites = coalesce((SELECT group_concat(suite) FROM (SELECT suite FROM result WHERE result.run = run.run
                       GROUP BY suite ORDER BY min(position))), '');

ALTER TABLE result RENAME TO old_result;
ALTER TABLE metric_key RENAME TO old_metric_key;
ALTER TABLE metric RENAME TO old_metric;
ALTER TABLE sample RENAME TO old_sample;
ALTER TABLE watched RENAME TO old_watched;

-- What a case is, as far as it is known before it is measured: the same in most runs, and few rows.
CREATE TABLE head (
    head   INTEGER PRIMARY KEY,
    suite  TEXT NOT NULL,
    device INTEGER NOT NULL REFERENCES device,
    text   TEXT NOT NULL UNIQUE     -- the event "case" of samples.jsonl with index 0: parameters, work, notes
) STRICT;

-- How results were checked: few rows.
CREATE TABLE method (
    method INTEGER PRIMARY KEY,
    text   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE result (
    result     INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    head       INTEGER NOT NULL REFERENCES head,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    error      REAL,                -- of the worst check
    tolerance  REAL,
    method     INTEGER REFERENCES method, -- NULL: not checked
    iterations INTEGER NOT NULL,
    stopped    TEXT NOT NULL,
    samples    BLOB,                -- of its measured metrics, packed (docs/file-formats.md); NULL: it has none
    watched    BLOB,                -- how the machine was in each invocation, packed; NULL: nothing watched
    UNIQUE (run, position)
) STRICT;

-- The full names of all metrics, with what they mean: few, and what patterns are matched against.
CREATE TABLE metric_key (
    metric_key   INTEGER PRIMARY KEY,
    key          TEXT NOT NULL,     -- suite/backend:device/k=v,k=v/metric
    name         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    better       TEXT NOT NULL,     -- lower, higher, none
    derived_from TEXT NOT NULL,     -- '': measured
    UNIQUE (key, unit, better, derived_from)
) STRICT;

-- The value of a metric in a run. Runs are read as a whole, and of a metric a row in each: both are near.
CREATE TABLE metric (
    run         INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    metric_key  INTEGER NOT NULL REFERENCES metric_key,
    median      REAL,
    ci_lo       REAL,
    ci_hi       REAL,
    disturbed   INTEGER NOT NULL,   -- 1: all its invocations were
    PRIMARY KEY (run, metric_key)
) STRICT, WITHOUT ROWID;

-- The index of a case is its position, which other runs need not share.
INSERT OR IGNORE INTO head (suite, device, text)
    SELECT suite, device, CASE WHEN json_valid(head) THEN json_set(head, '$.index', 0) ELSE head END
    FROM old_result ORDER BY result;
INSERT OR IGNORE INTO method (text) SELECT method FROM old_result WHERE method IS NOT NULL ORDER BY result;
INSERT OR IGNORE INTO metric_key (key, name, unit, better, derived_from)
    SELECT key, name, unit, better, derived_from FROM old_metric JOIN old_metric_key USING (metric_key) ORDER BY metric;
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed)
    SELECT run, new.metric_key, median, ci_lo, ci_hi, coalesce(disturbed > 0 AND disturbed >= invocations, 0)
    FROM old_result JOIN old_metric USING (result) JOIN old_metric_key AS old USING (metric_key) JOIN metric_key AS new USING
         (key, unit, better, derived_from)
    ORDER BY result, metric;
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched)
    SELECT result, run, position, (SELECT head.head FROM head WHERE text =
               CASE WHEN json_valid(old.head) THEN json_set(old.head, '$.index', 0) ELSE old.head END),
           status, reason, error, tolerance, (SELECT method.method FROM method WHERE text = old.method), iterations, stopped,
           (SELECT bench_repack(metric, new.metric_key, sample, invocation, old_sample.n, data, old_sample.disturbed)
            FROM old_metric JOIN old_metric_key USING (metric_key) JOIN metric_key AS new USING (key, unit, better, derived_from)
                 LEFT JOIN old_sample USING (metric)
            WHERE old_metric.result = old.result AND derived_from = ''),
           (SELECT bench_repack_watched(position, invocation, disturbed, canary, canary_worst, others, steal, frequency, device)
            FROM old_watched WHERE old_watched.result = old.result)
    FROM old_result AS old ORDER BY result;

DROP TABLE old_sample;
DROP TABLE old_watched;
DROP TABLE old_metric;
DROP TABLE old_metric_key;
DROP TABLE old_result;

-- For queries by hand.
CREATE VIEW history AS
    SELECT id, started, commit_hash, fingerprint, key, metric_key.name AS name, unit, better, median, ci_lo, ci_hi
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
CREATE VIEW outcome AS
    SELECT id, position, suite, backend, slug, status, reason, error, tolerance, method.text AS method, iterations, stopped,
           head.text AS head
    FROM result JOIN run USING (run) JOIN head USING (head) JOIN device USING (device)
         LEFT JOIN method ON method.method = result.method;
