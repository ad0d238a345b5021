-- expect: deny(masked_column)
SELECT count(*) FROM (SELECT DISTINCT salary FROM employees)
--§
SELECT count(*) FROM (SELECT salary AS pay FROM employees) e WHERE pay = 9000
--§
SELECT sum(n) FROM (SELECT salary, count(*) AS n FROM employees GROUP BY salary HAVING count(*) > 1)
--§
WITH e AS (SELECT * FROM employees) SELECT m.name, count(*) FROM e JOIN e m ON m.employee_id = e.manager_id GROUP BY m.name
--§
SELECT count(*) FROM (SELECT salary FROM employees UNION ALL SELECT salary FROM employees) e
--§
SELECT name FROM (SELECT * FROM employees) e
--§
SELECT "x:1" FROM (SELECT employee_id AS x, salary AS x, 1 AS "x:1" FROM employees)
--§
WITH a AS (SELECT x FROM b), b AS (SELECT salary AS x FROM employees) SELECT x FROM a
--§
SELECT q.name, q.shift_id FROM (SELECT * FROM employees e JOIN shifts s ON s.shift_id = e.employee_id) q
