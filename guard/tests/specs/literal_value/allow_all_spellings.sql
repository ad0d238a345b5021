-- expect: allow
SELECT count(*) FROM calls WHERE outcome IN ('solved', 'Solved')
--§
SELECT count(*) FROM calls WHERE outcome = 'solved' OR outcome = 'Solved'
--§
SELECT count(*) FROM calls WHERE lower(outcome) = 'solved'
--§
SELECT count(*) FROM calls WHERE outcome = 'solved' COLLATE NOCASE
--§
SELECT count(*) FROM calls WHERE outcome = 'open'
