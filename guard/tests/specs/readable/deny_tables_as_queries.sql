-- expect: deny(not_understood)
-- dialect: postgres
SELECT * FROM (TABLE orders FOR UPDATE) r
--§
SELECT order_id FROM orders WHERE order_id < (SELECT b.order_id FROM (TABLE orders FOR UPDATE) a, orders b LIMIT 1)
