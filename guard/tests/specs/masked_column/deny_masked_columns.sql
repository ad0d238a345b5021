-- expect: deny(masked_column)
SELECT salary FROM employees
--§
SELECT * FROM employees
--§
SELECT e.* FROM employees e
--§
SELECT x FROM (SELECT salary AS x FROM employees)
--§
WITH a AS (SELECT * FROM employees) SELECT * FROM a
--§
SELECT max(salary) FROM employees
--§
SELECT salary + 0 FROM employees
--§
SELECT CASE WHEN 1 THEN salary END FROM employees
--§
SELECT (SELECT max(salary) FROM employees)
--§
SELECT name FROM employees UNION SELECT salary FROM employees
--§
SELECT group_concat(salary) FROM employees
--§
SELECT printf('%s', salary) FROM employees
--§
WITH RECURSIVE c(n) AS (SELECT salary FROM employees UNION ALL SELECT n - 1 FROM c WHERE n > 8990) SELECT n FROM c
