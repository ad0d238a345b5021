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
SELECT count(*) FROM (SELECT DISTINCT salary FROM employees)
--§
SELECT count(*) FROM (SELECT salary AS pay FROM employees) e WHERE pay = 9000
--§
SELECT count(*) AS people FROM employees GROUP BY salary HAVING count(*) > 1
--§
SELECT sum(n) FROM (SELECT salary, count(*) AS n FROM employees GROUP BY salary HAVING count(*) > 1)
--§
WITH e AS (SELECT * FROM employees) SELECT m.name, count(*) FROM e JOIN e m ON m.employee_id = e.manager_id GROUP BY m.name
--§
SELECT count(*) FROM (SELECT salary FROM employees UNION ALL SELECT salary FROM employees) e
--§
EXPLAIN SELECT name FROM employees
