-- expect: allow
SELECT count(*), name FROM employees WHERE salary > 1000 GROUP BY name
--§
SELECT name FROM employees JOIN (SELECT 1 AS salary) x USING (salary)
--§
EXPLAIN SELECT name FROM employees
