-- expect: warn(value_type)
SELECT count(*) FROM orders WHERE total = 'high'
