-- expect: allow
SELECT sum(amount) FROM claims WHERE state <> 'withdrawn'
--§
SELECT count(*) FROM claims WHERE state = 'withdrawn'
--§
SELECT state, count(*) FROM claims GROUP BY state
--§
SELECT sum(CASE WHEN state = 'paid' THEN amount END) FROM claims
--§
SELECT claim_id, state, amount FROM claims WHERE amount > 50 ORDER BY amount LIMIT 10
--§
SELECT amount FROM claims WHERE claim_id = 2
--§
SELECT * FROM claims LIMIT 10
--§
SELECT count(*) FROM insurers
