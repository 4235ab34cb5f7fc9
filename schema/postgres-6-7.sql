-- Version 6 of a history on a server becomes 7, as migrate-6-7.sql says. Never changed once released.

COMMENT ON TABLE run IS 'bench history 7';

ALTER TABLE verdict ADD COLUMN reason text COLLATE "C";
ALTER TABLE verdict ADD COLUMN owner text COLLATE "C";
