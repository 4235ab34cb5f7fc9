-- Version 8 of a history on a server becomes 9, as migrate-8-9.sql says. Never changed once released.

COMMENT ON TABLE run IS 'bench history 9';

ALTER TABLE alarm ADD COLUMN cause text COLLATE "C";
