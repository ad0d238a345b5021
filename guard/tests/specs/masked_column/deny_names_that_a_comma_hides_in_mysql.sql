-- expect: deny(masked_column)
-- dialect: mysql
SELECT (SELECT count(*) FROM (SELECT 1 AS salary) o, customers c JOIN orders r ON salary > 100) AS n FROM employees
--§
SELECT (SELECT count(*) FROM (SELECT 1 AS salary) e, customers c JOIN orders r ON e.salary > 100) AS n FROM employees e
