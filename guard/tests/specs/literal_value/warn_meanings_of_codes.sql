-- expect: warn(value_meaning)
-- suggests: 2
-- rewrite: SELECT count(*) FROM deliveries WHERE state = 2
SELECT count(*) FROM deliveries WHERE state = 'handed over'
