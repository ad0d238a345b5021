-- expect: allow
SELECT count(salary), count(DISTINCT salary) FROM employees
--§
SELECT name FROM employees WHERE salary IS NOT NULL
--§
SELECT CASE WHEN salary IS NULL THEN 'unpaid' ELSE 'paid' END AS state, count(*) FROM employees GROUP BY 1
--§
SELECT name FROM employees WHERE salary = 9000
--§
SELECT name FROM employees WHERE NOT salary = 9000 AND (name = 'Eve' OR salary IN (7000, 6500))
--§
SELECT name FROM employees WHERE 9000 <> salary
--§
SELECT employee_id, salary IS NOT NULL AS is_paid FROM employees
--§
EXPLAIN SELECT name FROM employees
