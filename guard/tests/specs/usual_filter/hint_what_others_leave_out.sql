-- expect: hint(usual_filter)
-- suggests: state <> 'withdrawn'
SELECT sum(amount) FROM claims
--§
SELECT strftime('%Y', filed_on) AS year, count(*) FROM claims GROUP BY 1
--§
WITH recent AS (SELECT * FROM claims WHERE filed_on >= '2024-01-01') SELECT max(amount) FROM recent
--§
SELECT claim_id, amount FROM claims WHERE filed_on >= '2024-01-01' ORDER BY amount DESC LIMIT 10
