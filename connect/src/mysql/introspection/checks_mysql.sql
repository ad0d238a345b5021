-- Conditions on the rows of every table of the database ?, as MySQL lists them.
SELECT of_table.TABLE_NAME, held.CHECK_CLAUSE
FROM information_schema.CHECK_CONSTRAINTS AS held
JOIN information_schema.TABLE_CONSTRAINTS AS of_table
    ON of_table.CONSTRAINT_SCHEMA = held.CONSTRAINT_SCHEMA AND of_table.CONSTRAINT_NAME = held.CONSTRAINT_NAME
WHERE of_table.TABLE_SCHEMA = ? AND of_table.CONSTRAINT_TYPE = 'CHECK' AND of_table.ENFORCED = 'YES'
ORDER BY CAST(of_table.TABLE_NAME AS BINARY), CAST(held.CONSTRAINT_NAME AS BINARY)
