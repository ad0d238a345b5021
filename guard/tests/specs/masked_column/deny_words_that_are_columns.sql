-- expect: deny(masked_column)
-- dialect: duckdb
SELECT current_date FROM (SELECT salary AS "current_date" FROM employees)
--§
SELECT max(localtime) FROM (SELECT salary AS "localtime" FROM employees)
