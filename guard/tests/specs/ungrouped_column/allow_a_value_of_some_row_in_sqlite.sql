-- expect: allow
SELECT status, MAX(total) FROM orders
