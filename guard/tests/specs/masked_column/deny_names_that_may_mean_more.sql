-- expect: deny(masked_column)
-- dialect: postgres
SELECT employee_id, (SELECT salary FROM (SELECT 1 AS one) salary) AS v FROM employees
--§
SELECT employee_id, (SELECT "Salary" FROM (SELECT 1 AS "Salary") x) AS v FROM employees
--§
SELECT a.employee_id FROM employees a WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS salary) b WHERE b.salary > 10)
--§
SELECT employee_id, (SELECT count(*) FROM (SELECT 1 AS salary) a, (SELECT 1 AS u) b JOIN (SELECT 1 AS v) c ON salary > 10) FROM employees
--§
SELECT (SELECT value FROM generate_series(1, 1) g) FROM employees value
--§
SELECT employee_id, count(*) OVER () AS salary FROM employees ORDER BY salary
