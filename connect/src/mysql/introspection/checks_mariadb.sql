-- Conditions on the rows of every table of the database ?, as MariaDB lists them.
SELECT held.TABLE_NAME, held.CHECK_CLAUSE
FROM information_schema.CHECK_CONSTRAINTS AS held
WHERE held.CONSTRAINT_SCHEMA = ?
ORDER BY CAST(held.TABLE_NAME AS BINARY), held.LEVEL, CAST(held.CONSTRAINT_NAME AS BINARY)
