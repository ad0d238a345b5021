-- expect: deny(unknown_column)
-- rewrite: SELECT c.full_name FROM orders o JOIN customers c ON c.customer_id = o.customer_id
SELECT o.full_name FROM orders o JOIN customers c ON c.customer_id = o.customer_id
