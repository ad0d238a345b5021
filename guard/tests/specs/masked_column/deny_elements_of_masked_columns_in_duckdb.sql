-- expect: deny(masked_column)
-- dialect: duckdb
SELECT e.salary[1] FROM employees e
--§
SELECT e.salary[1].lower() FROM employees e
--§
SELECT count(*) FROM employees e WHERE e.salary[1] IS NULL
