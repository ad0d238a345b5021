-- expect: allow
SELECT name FROM employees WHERE salary = '9000'
--§
SELECT name FROM employees WHERE salary = -1
--§
SELECT name FROM employees WHERE salary IN (9000, '7000')
--§
SELECT name FROM employees WHERE salary IS NOT DISTINCT FROM 9000
