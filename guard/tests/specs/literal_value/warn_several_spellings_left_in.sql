-- expect: warn(value_in_several_spellings)
-- rewrite: SELECT count(*) FROM calls WHERE outcome NOT IN ('solved', 'Solved')
SELECT count(*) FROM calls WHERE outcome <> 'solved'
