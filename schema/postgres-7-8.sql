-- Version 7 of a history on a server becomes 8, as migrate-7-8.sql says. Never changed once released.

COMMENT ON TABLE run IS 'bench history 8';

ALTER TABLE alarm ADD COLUMN told text COLLATE "C";

CREATE VIEW runs AS
    SELECT id AS run, to_char(to_timestamp(started) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started_utc,
           to_char(to_timestamp(finished) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS finished_utc,
           finished - started AS duration_seconds, host.name AS host, fingerprint, commit_hash, branch, dirty, preset, suites,
           results, not_ok, interrupted, aside
    FROM run JOIN host USING (host);

CREATE VIEW results AS
    SELECT id AS run, to_char(to_timestamp(started) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started_utc,
           suite || '/' || backend || ':' || slug || '/' ||
               coalesce((SELECT string_agg(key || '=' || value, ',') FROM json_each_text(text::json -> 'case')), '') AS case_key,
           suite, backend, slug AS device, (text::json -> 'case')::text AS parameters, status, reason, error AS check_error,
           tolerance AS check_tolerance, iterations, stopped, (text::json #>> '{work,flops}')::double precision AS work_flops,
           (text::json #>> '{work,bytes}')::double precision AS work_bytes,
           (text::json #>> '{work,items}')::double precision AS work_items, aside
    FROM result JOIN head USING (head) JOIN device USING (device) JOIN run USING (run);

CREATE VIEW measurements AS
    SELECT id AS run, to_char(to_timestamp(started) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started_utc,
           host.name AS host, commit_hash, branch, key,
           left(key, length(key) - length(metric_key.name) - 1) AS case_key, metric_key.name AS metric, unit, better, derived_from,
           median, ci_lo, ci_hi, ci_level, CASE unit WHEN 's' THEN median END AS median_seconds,
           CASE unit WHEN 's' THEN ci_lo END AS ci_lo_seconds, CASE unit WHEN 's' THEN ci_hi END AS ci_hi_seconds,
           disturbed, aside
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
