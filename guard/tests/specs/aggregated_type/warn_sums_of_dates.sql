-- expect: warn(aggregate_of_dates)
SELECT AVG(ordered_on) FROM orders
--§
SELECT SUM(held_on) FROM shifts
