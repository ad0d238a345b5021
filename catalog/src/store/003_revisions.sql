-- At which revision of the catalog a row was last written, so that what is derived from it can be derived again in parts.
ALTER TABLE tables ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE profiles ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE descriptions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE overrides ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
UPDATE tables SET revision = (SELECT revision FROM state);
-- Which catalog this is: what was derived from another one of the same revision is not of this one.
ALTER TABLE state ADD COLUMN origin TEXT NOT NULL DEFAULT '';
UPDATE state SET origin = lower(hex(randomblob(8)));
