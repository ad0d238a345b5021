-- expect: warn(join_never_matches)
SELECT o.total FROM orders o JOIN order_lines l ON o.status = l.sku
--§
SELECT o.total FROM orders o WHERE o.status IN (SELECT country FROM customers)
--§
SELECT o.total FROM orders o JOIN order_lines l ON l.quantity = o.customer_id * 1 JOIN customers c ON c.country = o.status
--§
SELECT count(*) FROM orders o, order_lines l WHERE o.total = l.quantity AND o.order_id = l.order_id
