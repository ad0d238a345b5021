-- expect: warn(double_quoted_string)
-- rewrite: SELECT order_id FROM orders WHERE status = 'paid'
SELECT order_id FROM orders WHERE status = "paid"
