-- expect: deny(masked_column)
-- dialect: postgres
SELECT count(*) FROM employees e JOIN orders o ON o.ctid = e.salary
--§
SELECT count(*) FROM employees WHERE salary = ctid
--§
SELECT count(*) FROM employees WHERE xmin = salary
--§
SELECT count(*) FROM (SELECT ctid AS salary FROM orders) o JOIN employees USING (salary)
--§
SELECT x.b FROM (employees e JOIN orders o ON o.order_id = e.employee_id) AS x(a, b, c, d) WHERE x.d > 1
--§
SELECT x.b FROM ((SELECT 1 AS p, order_id FROM orders) o JOIN (SELECT employee_id AS order_id, salary, manager_id FROM employees) e USING (order_id)) AS x(a, b, c, d)
