-- expect: allow
-- dialect: postgres
SELECT order_id FROM orders WHERE order_id = '12' AND total > 5 AND status <> 'paid'
--§
SELECT order_id FROM orders WHERE order_id = 12.5 OR CAST(order_id AS text) = status
--§
SELECT o.order_id FROM orders o JOIN customers c ON c.customer_id = o.customer_id WHERE NOT o.status <> lower(c.country)
--§
SELECT order_id::text LIKE '1%', SUM(total) OVER (), lower(status) FROM orders WHERE status ~~ 'p%'
