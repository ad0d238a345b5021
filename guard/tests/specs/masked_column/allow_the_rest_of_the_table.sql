-- expect: allow
SELECT name FROM employees
--§
SELECT count(salary) FROM employees
--§
SELECT count(*) FROM employees
