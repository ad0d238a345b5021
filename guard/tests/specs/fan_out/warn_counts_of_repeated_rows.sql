-- expect: warn(aggregate_multiplied)
-- suggests: COUNT(DISTINCT c.customer_id)
SELECT c.country, COUNT(c.customer_id) FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.country
--§
SELECT COUNT(c.customer_id) FROM customers c JOIN orders o ON o.customer_id = c.customer_id WHERE o.status = 'paid'
