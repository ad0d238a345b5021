-- expect: warn(value_unknown)
-- suggests: cancelled
SELECT count(*) FROM orders WHERE status = 'cancled'
