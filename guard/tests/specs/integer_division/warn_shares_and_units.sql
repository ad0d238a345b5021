-- expect: warn(integer_division)
SELECT count(email) / count(*) FROM customers
--§
SELECT sum(fee_cents) / 100 FROM calls
--§
SELECT fee_cents / 100 AS fee FROM calls
--§
SELECT outcome, sum(seconds) / count(*) FROM calls GROUP BY outcome
--§
SELECT sum(CASE WHEN outcome = 'open' THEN 1 ELSE 0 END) / count(*) FROM calls
--§
SELECT round(sum(is_active) / count(*), 2) FROM customers
--§
SELECT (SELECT count(*) FROM calls) / (SELECT count(*) FROM orders)
--§
WITH a AS (SELECT count(*) AS n FROM calls), b AS (SELECT count(*) AS n FROM orders) SELECT a.n / b.n FROM a JOIN b ON 1 = 1
--§
SELECT outcome FROM calls GROUP BY outcome ORDER BY sum(fee_cents) / sum(seconds) DESC LIMIT 1
--§
SELECT outcome FROM calls GROUP BY outcome HAVING sum(fee_cents) / sum(seconds) > 2
--§
SELECT coalesce(sum(fee_cents), 0) / 100 FROM calls
--§
SELECT count(email) / nullif(count(*), 0) FROM customers
