-- Version 5 of results.db becomes 6: intervals have their confidence beside them, as far as it was known when they were
-- kept. Never changed once released (schema/results.sql says why).

ALTER TABLE metric ADD COLUMN ci_level REAL;            -- NULL: not known
ALTER TABLE verdict ADD COLUMN ci_level REAL;
ALTER TABLE alarm_metric ADD COLUMN ci_level REAL;
ALTER TABLE alarm_metric ADD COLUMN last_ci_level REAL;

DROP VIEW history;
CREATE VIEW history AS
    SELECT id, started, commit_hash, fingerprint, key, metric_key.name AS name, unit, better, median, ci_lo, ci_hi, ci_level
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
