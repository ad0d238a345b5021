-- expect: deny(foreign_syntax)
-- dialect: clickhouse
SELECT 1 /* /* */ , 2 -- */
