-- expect: allow
SELECT n.caller, sum(n.minutes) FROM claim_calls n JOIN claims c ON c.claim_id = n.claim_id WHERE c.state <> 'withdrawn' GROUP BY n.caller
--§
SELECT c.state, sum(n.minutes) FROM claim_calls n JOIN claims c ON c.claim_id = n.claim_id GROUP BY c.state
--§
SELECT minutes FROM claim_calls WHERE claim_id = 2 AND call = 1
