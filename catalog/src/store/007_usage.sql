-- What has been run over a source, by its query logs.
CREATE TABLE IF NOT EXISTS usage (name TEXT PRIMARY KEY, body TEXT NOT NULL, seal TEXT NOT NULL);
