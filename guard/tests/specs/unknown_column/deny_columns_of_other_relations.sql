-- expect: deny(unknown_column)
-- suggests: c.full_name
SELECT o.full_name FROM orders o JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT o."full_name" FROM customers c, orders o WHERE o.customer_id = c.customer_id
