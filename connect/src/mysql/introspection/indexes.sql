-- Columns of every index of the database ?. Where an index is over an expression, {expression} is its text; {usable}
-- tells whether the optimizer takes the index into account.
SELECT
    part.TABLE_NAME,
    part.INDEX_NAME,
    part.NON_UNIQUE,
    part.COLUMN_NAME,
    {expression},
    part.SUB_PART IS NULL AND part.INDEX_TYPE = 'BTREE' AND {usable}
FROM information_schema.STATISTICS AS part
WHERE part.TABLE_SCHEMA = ?
ORDER BY CAST(part.TABLE_NAME AS BINARY), CAST(part.INDEX_NAME AS BINARY), part.SEQ_IN_INDEX
