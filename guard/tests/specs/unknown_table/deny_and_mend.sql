-- expect: deny(unknown_table)
-- suggests: orders
-- rewrite: SELECT total FROM orders o
SELECT total FROM ordrs o
