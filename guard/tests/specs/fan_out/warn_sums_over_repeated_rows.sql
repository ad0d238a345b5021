-- expect: warn(aggregate_multiplied)
SELECT SUM(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT SUM(total) FROM orders JOIN order_lines USING (order_id)
--§
SELECT SUM(o.total) FROM orders o, order_lines l WHERE o.order_id = l.order_id AND l.sku = 'A-1'
--§
SELECT o.customer_id, SUM(o.total) FROM orders o LEFT JOIN order_lines l ON l.order_id = o.order_id GROUP BY o.customer_id
--§
SELECT o.order_id, SUM(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY o.order_id
--§
SELECT AVG(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
WITH paid AS (SELECT order_id, total FROM orders WHERE status = 'paid')
SELECT SUM(p.total) FROM paid p JOIN order_lines l ON l.order_id = p.order_id
--§
SELECT SUM(o.total) FROM orders o, json_each(o.details) j
--§
SELECT c.country, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.customer_id JOIN order_lines l ON l.order_id = o.order_id GROUP BY c.country HAVING COUNT(DISTINCT l.sku) > 1
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, sku FROM order_lines) l ON l.order_id = o.order_id
--§
SELECT SUM(s.whole) FROM (SELECT customer_id, SUM(total) AS whole FROM orders GROUP BY customer_id) s JOIN orders o ON o.customer_id = s.customer_id
--§
SELECT (SELECT SUM(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id WHERE o.customer_id = c.customer_id) FROM customers c
--§
SELECT SUM(o.total) OVER (PARTITION BY o.status) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT SUM(t.total) FROM (SELECT o.total / 100 AS total, l.sku FROM orders o JOIN order_lines l ON l.order_id = o.order_id) t
--§
WITH lines AS (SELECT o.order_id, o.total, l.sku FROM orders o LEFT JOIN order_lines l ON l.order_id = o.order_id), named AS (SELECT total AS amount, sku FROM lines) SELECT sku, SUM(amount) FROM named GROUP BY sku
