-- expect: warn(integer_division)
-- rewrite: SELECT 1.0 * (SELECT count(*) FROM calls) / (SELECT count(*) FROM orders)
SELECT (SELECT count(*) FROM calls) / (SELECT count(*) FROM orders)
