-- expect: allow
-- dialect: mysql
SELECT o.order_id FROM (SELECT * FROM orders UNION ALL SELECT * FROM orders) o WHERE o.order_id = 10
--§
WITH t(a, b) AS (SELECT order_id, total FROM orders) SELECT a, b FROM t
--§
WITH o AS (SELECT * FROM order_lines) SELECT sku, quantity FROM o WHERE order_id = 10 ORDER BY 1, 2
