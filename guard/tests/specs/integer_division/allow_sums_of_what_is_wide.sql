-- dialect: postgres
-- expect: allow
SELECT sum(n) / count(*) FROM (SELECT count(*) AS n FROM calls GROUP BY outcome) counted
--§
SELECT floor(sum(fee_cents) / 100) FROM calls
