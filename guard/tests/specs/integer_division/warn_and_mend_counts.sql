-- expect: warn(integer_division)
-- rewrite: SELECT 1.0 * count(email) / count(*) FROM customers
SELECT count(email) / count(*) FROM customers
