-- expect: warn(value_spelling)
-- suggests: in_progress
SELECT count(*) FROM orders WHERE status = 'in progress'
