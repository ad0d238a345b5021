-- expect: deny(masked_column)
-- dialect: mysql
WITH t(a, b, c, d) AS (SELECT * FROM employees) SELECT c FROM t
--§
SELECT c FROM (SELECT * FROM employees) AS t(a, b, c, d)
--§
SELECT employee_id FROM (SELECT * FROM employees UNION ALL SELECT employee_id, manager_id, name, salary FROM employees) t
--§
SELECT a FROM (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d UNION ALL SELECT * FROM employees) t
--§
SELECT count(*) FROM (SELECT * FROM employees ORDER BY 3 LIMIT 2) t
--§
SELECT count(*) FROM (SELECT * FROM (SELECT * FROM employees) e ORDER BY 3 LIMIT 2) t
