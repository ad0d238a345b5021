-- expect: hint(limit_without_order)
-- rows: orders 2500
SELECT order_id, total FROM orders LIMIT 10
