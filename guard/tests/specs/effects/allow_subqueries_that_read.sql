-- expect: allow
-- dialect: mysql
SELECT order_id FROM orders WHERE order_id IN (SELECT order_id FROM orders)
--§
SELECT order_id FROM orders WHERE order_id = (SELECT 1)
