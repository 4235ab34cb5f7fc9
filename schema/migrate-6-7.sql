-- Version 6 of results.db becomes 7: verdicts keep why they are what they are, and whom they concern. Never changed once
-- released (schema/results.sql says why).

ALTER TABLE verdict ADD COLUMN reason TEXT;             -- one line in plain words; NULL: none, or not kept
ALTER TABLE verdict ADD COLUMN owner TEXT;              -- as a rule says; NULL: none, or not kept
