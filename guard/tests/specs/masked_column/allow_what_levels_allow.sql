-- expect: allow
-- policy: masked_use compare
SELECT name FROM employees WHERE salary > 1000 ORDER BY salary
--§
SELECT name FROM employees WHERE salary LIKE '9%'
