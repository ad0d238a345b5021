-- What looking at values has told, and what people have said of columns, apart from what was measured.
CREATE TABLE masks (
    table_id TEXT PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
    body TEXT NOT NULL, seal TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0
);
-- No reference: what people said outlives a table that is dropped and made again.
CREATE TABLE rulings (
    table_id TEXT PRIMARY KEY, body TEXT NOT NULL, seal TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0
);
-- A hash over what a row says of whom: damage is told from what was written.
ALTER TABLE sources ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE tables ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE descriptions ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE overrides ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN seal TEXT NOT NULL DEFAULT '';
-- Profiles of tables whose turn hadn't come said only what was masked by name, which the structure says itself.
DELETE FROM profiles WHERE json_extract(body, '$.skipped') = 'it has not been profiled yet';
-- Which parts a table has, so that one that is gone is told from one that never was.
CREATE TABLE parts (
    table_id TEXT PRIMARY KEY, held TEXT NOT NULL, seal TEXT NOT NULL
) WITHOUT ROWID;
