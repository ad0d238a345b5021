-- How many rows the engine believes the table ? of the database ? to have.
SELECT listed.TABLE_ROWS
FROM information_schema.TABLES AS listed
WHERE listed.TABLE_NAME = ? AND listed.TABLE_SCHEMA = ?
