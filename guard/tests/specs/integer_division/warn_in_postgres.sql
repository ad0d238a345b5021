-- dialect: postgres
-- expect: warn(integer_division)
SELECT count(email) / count(*) FROM customers
--§
SELECT sum(fee_cents) / 100 FROM calls
--§
SELECT count(*) FILTER (WHERE outcome = 'open') / count(*) FROM calls
