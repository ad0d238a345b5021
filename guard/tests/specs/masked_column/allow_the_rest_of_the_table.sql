-- expect: allow
SELECT name FROM employees
--§
SELECT count(salary) FROM employees
--§
SELECT name FROM employees ORDER BY salary
--§
SELECT count(*) FROM employees
