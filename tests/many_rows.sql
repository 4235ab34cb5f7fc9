-- Makes of the newest 100 runs of a history on a server as many as are asked for (psql -v copies=N: of each), with other ids and
-- days: what a long history costs to ask does not hang on who has measured it. Digests are not made: 'bench db check' would say so.
BEGIN;
CREATE TEMPORARY TABLE copied AS
    SELECT run AS old, nextval(pg_get_serial_sequence('run', 'run')) AS new, number
    FROM (SELECT run FROM run ORDER BY run DESC LIMIT 100) AS newest, generate_series(1, :copies) AS number;
INSERT INTO run
    SELECT new, id || '-' || number, started + 8640000 * number, finished + 8640000 * number, interrupted, preset, commit_hash, branch,
           dirty, host, folder, replace(head, '"' || id || '"', '"' || id || '-' || number || '"'), aside, anchor, results, not_ok, suites
    FROM copied JOIN run ON run = old;
INSERT INTO result
    SELECT nextval(pg_get_serial_sequence('result', 'result')), new, position, head, status, reason, error, tolerance, method, iterations,
           stopped, samples, watched
    FROM copied JOIN result ON run = old;
INSERT INTO metric
    SELECT new, metric_key, median, ci_lo, ci_hi, disturbed, ci_level FROM copied JOIN metric ON run = old ORDER BY new, metric_key;
COMMIT;
VACUUM ANALYZE;
