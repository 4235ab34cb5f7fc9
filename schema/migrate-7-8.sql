-- Version 7 of results.db becomes 8: alarms keep which event hooks were told last, and views for analysis name the units
-- of their columns. Never changed once released (schema/results.sql says why): a later version may add columns to the
-- views, at the end.

ALTER TABLE alarm ADD COLUMN told TEXT;                 -- '': none yet, one is due; NULL: no hook is told of this alarm

-- The views. Somebody's own view of such a name stays.
--
-- Times are 'YYYY-MM-DD hh:mm:ss' in UTC. The key of a case joins results with measurements. Samples are packed
-- (docs/file-formats.md), which SQL cannot read: 'bench export --samples' writes them. json_each is the one function of
-- JSON that a view may use where a connection does not trust the schema.

CREATE VIEW IF NOT EXISTS runs AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc,
           strftime('%Y-%m-%d %H:%M:%S', finished, 'unixepoch') AS finished_utc, finished - started AS duration_seconds,
           host.name AS host, fingerprint, commit_hash, branch, dirty, preset, suites, results, not_ok, interrupted, aside
    FROM run JOIN host USING (host);

CREATE VIEW IF NOT EXISTS results AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc,
           suite || '/' || backend || ':' || slug || '/' ||
               coalesce((SELECT group_concat(key || '=' || value, ',') FROM json_each(text, '$.case')), '') AS case_key,
           suite, backend, slug AS device, (SELECT value FROM json_each(text) WHERE key = 'case') AS parameters, status, reason,
           error AS check_error, tolerance AS check_tolerance, iterations, stopped,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'flops') AS work_flops,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'bytes') AS work_bytes,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'items') AS work_items, aside
    FROM result JOIN head USING (head) JOIN device USING (device) JOIN run USING (run);

-- A value is in the column `unit` of its row; where that is s, also in the columns that are called so.
CREATE VIEW IF NOT EXISTS measurements AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc, host.name AS host, commit_hash, branch,
           key, substr(key, 1, length(key) - length(metric_key.name) - 1) AS case_key, metric_key.name AS metric, unit, better,
           derived_from, median, ci_lo, ci_hi, ci_level, CASE unit WHEN 's' THEN median END AS median_seconds,
           CASE unit WHEN 's' THEN ci_lo END AS ci_lo_seconds, CASE unit WHEN 's' THEN ci_hi END AS ci_hi_seconds,
           disturbed, aside
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
