-- expect: allow
SELECT 1.0 * count(email) / count(*) FROM customers
--§
SELECT count(email) * 100.0 / count(*) FROM customers
--§
SELECT count(email) * 100 / count(*) FROM customers
--§
SELECT CAST(count(email) AS REAL) / count(*) FROM customers
--§
SELECT sum(total) / count(*) FROM orders
--§
SELECT avg(fee_cents) / 100 FROM calls
--§
SELECT fee_cents / 100 * 100 FROM calls
--§
SELECT seconds / 60, seconds % 60 FROM calls
--§
SELECT fee_cents / 100 AS hundreds, count(*) FROM calls GROUP BY hundreds
--§
SELECT fee_cents / 100, count(*) FROM calls GROUP BY fee_cents / 100
--§
SELECT CAST(sum(fee_cents) / 100 AS INTEGER) FROM calls
--§
SELECT (seconds - 1) / 60 FROM calls
--§
SELECT outcome FROM calls ORDER BY call_id LIMIT 1 OFFSET (SELECT count(*) / 2 FROM calls)
--§
SELECT 100 / 4
