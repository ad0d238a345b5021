-- Tables and views of the database ?, by name; sequences, which MariaDB lists among them, hold nothing to ask for.
SELECT
    listed.TABLE_NAME,
    listed.TABLE_TYPE,
    listed.ENGINE,
    listed.TABLE_COMMENT,
    listed.TABLE_ROWS,
    CAST(UNIX_TIMESTAMP(listed.UPDATE_TIME) AS SIGNED),
    -- InnoDB notes every commit, until it is restarted; others learn of a write when it reaches the disk. Times are
    -- whole seconds: a write may follow in the one that has begun.
    CASE WHEN listed.ENGINE = 'InnoDB' AND listed.UPDATE_TIME < NOW() - INTERVAL 2 SECOND
        THEN CONCAT(UNIX_TIMESTAMP(listed.CREATE_TIME), ' ', UNIX_TIMESTAMP(listed.UPDATE_TIME))
    END,
    CAST(UNIX_TIMESTAMP(listed.CREATE_TIME) AS CHAR)
FROM information_schema.TABLES AS listed
WHERE listed.TABLE_SCHEMA = ? AND listed.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
ORDER BY CAST(listed.TABLE_NAME AS BINARY)
