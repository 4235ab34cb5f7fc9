-- Version 8 of results.db becomes 9: alarms keep what `bench why` answered. Never changed once released (schema/results.sql says
-- why).

ALTER TABLE alarm ADD COLUMN cause TEXT;                -- of its largest change, in one line; NULL: nobody has asked
