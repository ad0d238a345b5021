CREATE TABLE sources (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL REFERENCES sources (name) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX tables_of_source ON tables (source);
CREATE TABLE profiles (table_id TEXT PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE, body TEXT NOT NULL);
CREATE TABLE descriptions (table_id TEXT PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE, body TEXT NOT NULL);
-- No reference: what people wrote outlives a table that is dropped and made again.
CREATE TABLE overrides (table_id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, created_at TEXT NOT NULL, state TEXT NOT NULL);
CREATE TABLE state (revision INTEGER NOT NULL);
INSERT INTO state (revision) VALUES (0);
