-- Version 7 of results.db becomes 8: alarms keep which event hooks were told last. Never changed once released
-- (schema/results.sql says why).

ALTER TABLE alarm ADD COLUMN told TEXT;                 -- '': none yet, one is due; NULL: no hook is told of this alarm
