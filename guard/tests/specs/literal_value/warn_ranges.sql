-- expect: warn(value_out_of_range)
SELECT count(*) FROM orders WHERE total > 5000
--§
SELECT count(*) FROM orders WHERE ordered_on > '2031-01-01'
--§
SELECT count(*) FROM orders WHERE -1 > total
