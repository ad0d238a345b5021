-- expect: deny(function_not_allowed)
-- suggests: strftime
SELECT date_trunc('month', ordered_on) FROM orders
