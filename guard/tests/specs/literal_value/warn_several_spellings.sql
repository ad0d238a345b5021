-- expect: warn(value_in_several_spellings)
-- suggests: Solved
-- rewrite: SELECT count(*) FROM calls WHERE outcome IN ('solved', 'Solved')
SELECT count(*) FROM calls WHERE outcome = 'solved'
--§
SELECT count(*) FROM calls WHERE outcome IN ('solved')
