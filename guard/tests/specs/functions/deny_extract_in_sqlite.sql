-- expect: deny(function_not_allowed)
-- suggests: strftime
SELECT EXTRACT(YEAR FROM ordered_on) FROM orders
