-- expect: hint(usual_filter)
-- suggests: claims.state <> 'withdrawn'
SELECT caller, sum(minutes) FROM claim_calls GROUP BY caller
--§
SELECT n.caller, sum(n.minutes) FROM claim_calls n JOIN claims c ON c.claim_id = n.claim_id WHERE c.amount > 50 GROUP BY n.caller
