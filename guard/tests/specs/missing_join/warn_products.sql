-- expect: warn(cartesian_product)
SELECT count(*) FROM orders, customers
--§
SELECT o.total FROM orders o JOIN customers c
--§
SELECT o.total FROM orders o JOIN customers c ON o.total > 3
--§
SELECT count(*) FROM orders o, customers c, order_lines l WHERE o.customer_id = c.customer_id
--§
SELECT count(*) FROM orders o CROSS JOIN customers c
