-- expect: warn(integer_division)
-- rewrite: SELECT 1.0 * (sum(seconds) + sum(fee_cents)) / count(*) FROM calls
SELECT (sum(seconds) + sum(fee_cents)) / count(*) FROM calls
