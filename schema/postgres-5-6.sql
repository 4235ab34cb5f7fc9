-- Version 5 of a history on a server becomes 6, as migrate-5-6.sql says. Never changed once released.

COMMENT ON TABLE run IS 'bench history 6';

ALTER TABLE metric ADD COLUMN ci_level double precision;
ALTER TABLE verdict ADD COLUMN ci_level double precision;
ALTER TABLE alarm_metric ADD COLUMN ci_level double precision;
ALTER TABLE alarm_metric ADD COLUMN last_ci_level double precision;

DROP INDEX metric_by_key;
CREATE INDEX metric_by_key ON metric (metric_key, run) INCLUDE (median, ci_lo, ci_hi, disturbed, ci_level);

-- What a role may do with it stays.
CREATE OR REPLACE VIEW history AS
    SELECT id, started, commit_hash, fingerprint, key, metric_key.name AS name, unit, better, median, ci_lo, ci_hi, ci_level
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
