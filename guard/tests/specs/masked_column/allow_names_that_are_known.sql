-- expect: allow
-- dialect: postgres
SELECT name, count(*) AS employees FROM employees GROUP BY name ORDER BY employees DESC
--§
SELECT employees.name FROM employees WHERE employees.salary = 9000
--§
SELECT count(salary) AS salary FROM employees
--§
SELECT count(*) FROM (SELECT employee_id FROM employees WHERE salary = 9000) e
