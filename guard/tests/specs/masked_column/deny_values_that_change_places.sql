-- expect: deny(masked_column)
WITH RECURSIVE r(a, b, c, n) AS (SELECT '', '', salary, 1 FROM employees UNION ALL SELECT b, c, a, n + 1 FROM r WHERE n < 4) SELECT a FROM r
--§
WITH t(a, b, c, d, e) AS (SELECT * FROM (SELECT name, salary FROM employees) x JOIN (SELECT salary, 1 AS zz FROM employees) y USING (salary)) SELECT a FROM t
--§
SELECT name FROM employees LIMIT (SELECT salary FROM employees WHERE employee_id = 1)
--§
SELECT count(*) FROM json_each((SELECT salary FROM employees WHERE employee_id = 1))
