-- expect: warn(value_spelling)
-- rewrite: SELECT count(*) FROM dues WHERE stage IN ('cancelled', 'canceled')
SELECT count(*) FROM dues WHERE stage = 'can celled'
