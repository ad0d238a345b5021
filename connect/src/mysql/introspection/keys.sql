-- Columns of primary and foreign keys of the database ?; a key's columns stand together, in the order of the key.
SELECT
    part.TABLE_NAME,
    part.CONSTRAINT_NAME,
    part.COLUMN_NAME,
    part.REFERENCED_TABLE_SCHEMA,
    part.REFERENCED_TABLE_NAME,
    part.REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE AS part
WHERE part.TABLE_SCHEMA = ? AND (part.CONSTRAINT_NAME = 'PRIMARY' OR part.REFERENCED_TABLE_NAME IS NOT NULL)
ORDER BY CAST(part.TABLE_NAME AS BINARY), CAST(part.CONSTRAINT_NAME AS BINARY), part.ORDINAL_POSITION
