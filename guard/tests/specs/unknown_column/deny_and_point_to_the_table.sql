-- expect: deny(unknown_column)
-- suggests: customers.full_name
SELECT full_name FROM orders
