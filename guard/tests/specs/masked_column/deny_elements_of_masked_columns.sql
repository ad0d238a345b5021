-- expect: deny(masked_column)
-- dialect: postgres
SELECT e.salary[1] FROM employees e
--§
SELECT count(*) FROM employees e WHERE e.salary[1] = 4
--§
SELECT employees.salary[1:2] FROM employees
--§
SELECT e.name[e.salary] FROM employees e
