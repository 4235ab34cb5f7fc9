-- Version 7 of a history on a server becomes 8, as migrate-7-8.sql says. Never changed once released.

COMMENT ON TABLE run IS 'bench history 8';

ALTER TABLE alarm ADD COLUMN told text COLLATE "C";
