-- expect: warn(value_case)
-- rewrite: SELECT count(*) FROM orders WHERE lower(status) = 'paid'
SELECT count(*) FROM orders WHERE lower(status) = 'PAID'
