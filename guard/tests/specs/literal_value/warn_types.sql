-- expect: warn(value_type)
SELECT count(*) FROM orders WHERE total = 'high'
--§
SELECT count(*) FROM orders WHERE ordered_on > 2023
--§
SELECT count(*) FROM shifts WHERE held_on = 20240105
