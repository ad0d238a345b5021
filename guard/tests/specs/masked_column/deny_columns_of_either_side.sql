-- expect: deny(masked_column)
SELECT salary FROM (SELECT 1 AS salary) x FULL JOIN employees USING (salary)
--§
SELECT salary FROM (SELECT 1 AS salary) x RIGHT JOIN employees USING (salary)
--§
SELECT salary FROM (SELECT 1 AS salary) x NATURAL FULL JOIN employees
--§
SELECT q.salary FROM (SELECT * FROM (SELECT 1 AS salary) x FULL JOIN (SELECT salary FROM employees) e USING (salary)) q
--§
EXPLAIN SELECT name FROM employees WHERE salary > 10
--§
EXPLAIN SELECT 1 FROM orders WHERE total > (SELECT max(salary) FROM employees)
