-- expect: warn(integer_division)
-- rewrite: SELECT sum(fee_cents) / 100.0 FROM calls
SELECT sum(fee_cents) / 100 FROM calls
