-- What the words of a company mean.
CREATE TABLE IF NOT EXISTS terms (
    source TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (source, name)
);
-- The questions for which approvals and corrections were used.
CREATE TABLE IF NOT EXISTS memory_uses (memory INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS memory_uses_by_memory ON memory_uses (memory);
