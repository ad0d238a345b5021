-- expect: warn(value_case)
-- suggests: paid
-- rewrite: SELECT count(*) FROM orders WHERE status = 'paid'
SELECT count(*) FROM orders WHERE status = 'Paid'
