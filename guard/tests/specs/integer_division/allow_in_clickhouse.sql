-- dialect: clickhouse
-- expect: allow
SELECT count(email) / count(*) FROM customers
--§
SELECT sum(fee_cents) / 100 FROM calls
