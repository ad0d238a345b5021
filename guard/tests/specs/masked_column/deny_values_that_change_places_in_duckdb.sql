-- expect: deny(masked_column)
-- dialect: duckdb
SELECT a FROM (SELECT '' AS a, '' AS b UNION ALL BY NAME SELECT name AS b, salary AS a FROM employees) x
--§
WITH t(a, b, c, d) AS (SELECT * REPLACE (name AS employee_id) FROM employees) SELECT d FROM t
--§
SELECT salary -> '$.amount' FROM employees
--§
SELECT (range(1000))[salary] FROM employees
--§
SELECT count(*) FROM range((SELECT salary FROM employees WHERE employee_id = 1))
