-- expect: deny(masked_column)
-- dialect: duckdb
SELECT (SELECT max(d.n) FROM employees c, (SELECT c.salary AS n) d) AS n FROM (SELECT 1 AS salary) c
