-- The text of every view of the database ? that the user may see.
SELECT defined.TABLE_NAME, defined.VIEW_DEFINITION
FROM information_schema.VIEWS AS defined
WHERE defined.TABLE_SCHEMA = ?
ORDER BY CAST(defined.TABLE_NAME AS BINARY)
