-- expect: deny(masked_column)
-- dialect: clickhouse
SELECT name FROM employees WHERE salary.size = 4
--§
SELECT count(salary.size) FROM employees
--§
SELECT name FROM employees e WHERE e.salary.null IS NULL
--§
SELECT count(*) FROM employees GROUP BY salary.size0
--§
SELECT count(*) FROM (SELECT e.salary AS order_id FROM employees e JOIN orders o ON order_id = 7000)
--§
SELECT count(*) FROM (SELECT salary AS name, row_number() OVER (ORDER BY name) AS n FROM employees)
