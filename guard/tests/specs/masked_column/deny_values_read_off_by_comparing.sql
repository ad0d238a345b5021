-- expect: deny(masked_column)
SELECT name FROM employees WHERE salary > 1000
--§
SELECT count(*), name FROM employees WHERE salary > 1000 GROUP BY name
--§
SELECT name FROM employees WHERE salary BETWEEN 1000 AND 2000
--§
SELECT name FROM employees WHERE salary LIKE '9%'
--§
SELECT name FROM employees WHERE salary + 0 = 9000
--§
SELECT name FROM employees WHERE CAST(salary AS TEXT) = '9000.0'
--§
SELECT name FROM employees WHERE salary = (SELECT 9000)
--§
SELECT name FROM employees WHERE salary IN (SELECT total FROM orders)
--§
SELECT order_id FROM orders WHERE total IN (SELECT salary FROM employees)
--§
SELECT order_id FROM orders WHERE total = (SELECT salary FROM employees LIMIT 1)
--§
SELECT name FROM employees ORDER BY salary
--§
SELECT name FROM (SELECT name, salary FROM employees ORDER BY 2 LIMIT 2)
--§
SELECT name FROM (SELECT name, salary AS s FROM employees) ORDER BY s
--§
SELECT (SELECT ch.sku FROM order_lines ch WHERE ch.sku = substr(e.salary, 1, 1)) FROM employees e
--§
SELECT e.name, o.total FROM employees e JOIN orders o ON o.total = e.salary
--§
SELECT e.name, v.n FROM employees e JOIN (SELECT 9000 AS n UNION ALL SELECT 7000) v ON v.n = e.salary
--§
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT e.name, n.i FROM employees e JOIN n ON n.i = e.salary
--§
SELECT name FROM employees JOIN (SELECT 1 AS salary) x USING (salary)
--§
SELECT CASE WHEN salary = 9000 THEN 1 ELSE 0 END FROM employees
--§
SELECT name FROM employees WHERE CASE WHEN salary = 9000 THEN 1 ELSE 0 END = 1
--§
SELECT name FROM employees WHERE coalesce(salary = 9000, 0)
--§
SELECT count(CASE WHEN salary = 9000 THEN 1 END) FROM employees
--§
SELECT count(*) FILTER (WHERE salary = 9000) FROM employees
--§
SELECT name, row_number() OVER (ORDER BY salary) FROM employees
--§
SELECT name, count(*) OVER (PARTITION BY salary) FROM employees
--§
SELECT name FROM employees GROUP BY name, salary
--§
SELECT name, count(*) FROM employees GROUP BY salary
--§
SELECT count(*) FROM employees GROUP BY salary, name
--§
SELECT count(*) FROM (SELECT DISTINCT x FROM (SELECT salary AS x FROM employees UNION ALL SELECT total FROM orders))
--§
SELECT count(DISTINCT x) FROM (SELECT salary AS x FROM employees UNION ALL SELECT total FROM orders)
--§
SELECT count(*) FROM (SELECT total FROM orders INTERSECT SELECT salary FROM employees)
--§
SELECT count(*) FROM (SELECT total FROM orders EXCEPT SELECT salary FROM employees)
--§
SELECT count(*) FROM (SELECT salary FROM employees UNION SELECT 9000)
--§
SELECT count(min(salary)) FROM employees GROUP BY employee_id
--§
SELECT name FROM employees e WHERE EXISTS (SELECT 1 FROM orders o WHERE o.total = e.salary)
--§
SELECT a.name FROM employees a JOIN employees b ON a.salary = b.salary
--§
SELECT name FROM employees WHERE salary
--§
SELECT name FROM employees LIMIT (SELECT salary FROM employees LIMIT 1)
--§
SELECT name FROM employees GROUP BY name HAVING max(salary) > 1
--§
SELECT name FROM employees WHERE (salary, name) = (9000, 'Eve')
--§
WITH RECURSIVE t(i, x) AS (SELECT 0, '' UNION ALL SELECT t.i + 1, e.salary FROM t JOIN employees e ON e.employee_id = 2 WHERE t.i = 0 OR t.i < t.x) SELECT count(*) FROM t
--§
SELECT employee_id, employee_id AS salary FROM employees ORDER BY salary + 0
--§
SELECT count(*) FROM (SELECT salary AS manager_id FROM employees GROUP BY salary HAVING manager_id > 7000)
--§
SELECT count(CASE WHEN employee_id = 1 THEN 1 END) FROM employees GROUP BY salary
--§
SELECT count(*) FROM employees GROUP BY salary > 7000
--§
SELECT count(*) FROM employees GROUP BY substr(salary, 1, 1)
--§
SELECT e.employee_id, o.total AS "foo" FROM employees e JOIN orders o ON e.salary = "foo"
--§
SELECT name FROM (SELECT name, salary FROM employees ORDER BY +2 LIMIT 3)
--§
SELECT name FROM (SELECT name, salary FROM employees ORDER BY 2 COLLATE NOCASE LIMIT 3)
