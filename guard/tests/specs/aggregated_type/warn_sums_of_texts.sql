-- expect: warn(aggregate_of_text)
SELECT SUM(status) FROM orders
--§
SELECT AVG(o.status) FROM orders o
