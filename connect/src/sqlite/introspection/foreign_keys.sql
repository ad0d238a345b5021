-- SQLite numbers keys from the last declared to the first. "to" is NULL where the target's primary key is meant.
SELECT id, "table", "from", "to"
FROM pragma_foreign_key_list(?1, 'main')
ORDER BY id DESC, seq;
