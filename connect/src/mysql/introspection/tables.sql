-- Tables and views of the database ?, by name; sequences, which MariaDB lists among them, hold nothing to ask for.
SELECT
    listed.TABLE_NAME,
    listed.TABLE_TYPE,
    listed.ENGINE,
    listed.TABLE_COMMENT,
    listed.TABLE_ROWS,
    CAST(UNIX_TIMESTAMP(listed.UPDATE_TIME) AS SIGNED)
FROM information_schema.TABLES AS listed
WHERE listed.TABLE_SCHEMA = ? AND listed.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
ORDER BY CAST(listed.TABLE_NAME AS BINARY)
