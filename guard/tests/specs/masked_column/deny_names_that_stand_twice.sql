-- expect: deny(masked_column)
SELECT "x:1" FROM (SELECT name AS x, salary AS x, 1 AS "x:1" FROM employees)
--§
SELECT x FROM (SELECT name AS x, salary AS x FROM employees)
--§
SELECT x FROM (SELECT name AS x, salary AS X FROM employees)
--§
WITH t(x, x) AS (SELECT name, salary FROM employees) SELECT x FROM t
--§
SELECT "x:2" FROM (SELECT name AS x, salary AS "x:1", 1 AS x, 2 AS "x:2" FROM employees)
