-- expect: allow
SELECT * FROM orders
