-- expect: hint(no_limit)
-- rows: orders 2500
SELECT order_id, total FROM orders
--§
SELECT * FROM orders WHERE total > 5
