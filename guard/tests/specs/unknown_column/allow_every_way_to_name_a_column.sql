-- expect: allow
SELECT TOTAL, "total", [total], `total`, orders.total, main.orders.total FROM orders
--§
SELECT rowid, _rowid_, oid, orders.rowid FROM orders
--§
SELECT total AS t FROM orders WHERE t > 3 GROUP BY t HAVING t > 1 ORDER BY t
--§
SELECT o.* FROM orders o
--§
SELECT c.full_name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id AND is_active = 1)
--§
SELECT a.x FROM (SELECT total AS x FROM orders) a
--§
WITH a(x, y) AS (SELECT total, status FROM orders) SELECT x, a.y FROM a
--§
SELECT * FROM orders JOIN customers USING (customer_id) WHERE customer_id = 1
--§
SELECT customer_id FROM orders NATURAL JOIN customers
--§
SELECT "select", "two words", "Ünïcode", "a.b", "delete", update_count FROM "odd names"
--§
SELECT order_id AS id FROM orders UNION SELECT employee_id FROM employees ORDER BY id
--§
SELECT column1 FROM (VALUES (1), (2))
--§
SELECT key, value FROM json_each('[1,2]')
--§
SELECT e.name, m.name FROM employees e LEFT JOIN employees m ON m.employee_id = e.manager_id
--§
SELECT status, count(*) AS n FROM orders GROUP BY status ORDER BY n DESC
--§
SELECT (SELECT sum(l.quantity) FROM order_lines l WHERE l.order_id = o.order_id) AS pieces FROM orders o ORDER BY pieces
--§
SELECT "count(*)" FROM (SELECT count(*) FROM orders)
--§
SELECT x.total FROM orders AS x INNER JOIN (SELECT max(total) AS most FROM orders) AS y ON x.total = y.most
