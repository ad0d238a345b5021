-- expect: deny(masked_column)
-- dialect: duckdb
SELECT name FROM (SELECT name, salary FROM employees ORDER BY ALL LIMIT 2)
--§
SELECT count(*) FROM (SELECT DISTINCT ON (salary) name FROM employees)
--§
SELECT count(*) FROM (SELECT name, salary FROM employees GROUP BY ALL)
--§
SELECT string_agg(chr(i)) FROM range(65, 90) r(i) JOIN employees e ON chr(i) = e.salary
