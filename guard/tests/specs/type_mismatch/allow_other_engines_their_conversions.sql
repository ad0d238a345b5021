-- expect: allow
SELECT order_id FROM orders WHERE order_id = CAST('2024-01-01' AS TEXT) OR order_id LIKE '1%'
