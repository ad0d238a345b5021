-- Columns of every table and view of the database ?, in their order.
SELECT
    part.TABLE_NAME,
    part.COLUMN_NAME,
    part.DATA_TYPE,
    part.COLUMN_TYPE,
    part.IS_NULLABLE,
    part.COLUMN_DEFAULT,
    part.EXTRA,
    part.GENERATION_EXPRESSION,
    part.COLUMN_COMMENT,
    part.CHARACTER_SET_NAME,
    part.COLLATION_NAME
FROM information_schema.COLUMNS AS part
WHERE part.TABLE_SCHEMA = ?
ORDER BY CAST(part.TABLE_NAME AS BINARY), part.ORDINAL_POSITION
