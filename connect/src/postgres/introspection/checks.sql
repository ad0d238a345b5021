-- Conditions on one column of the tables $1, for the lists of values among them.
SELECT con.conrelid, part.attname::text, pg_catalog.pg_get_constraintdef(con.oid)
FROM pg_catalog.pg_constraint AS con
JOIN pg_catalog.pg_attribute AS part ON part.attrelid = con.conrelid AND part.attnum = con.conkey[1]
WHERE con.conrelid = ANY ($1) AND con.contype = 'c' AND con.convalidated AND cardinality(con.conkey) = 1
ORDER BY con.conrelid, con.conname COLLATE "C"
