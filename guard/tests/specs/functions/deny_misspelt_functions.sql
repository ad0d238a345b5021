-- expect: deny(function_not_allowed)
-- suggests: count
SELECT cuont(*) FROM orders
