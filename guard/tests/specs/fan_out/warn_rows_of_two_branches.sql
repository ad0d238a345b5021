-- expect: warn(aggregate_multiplied)
SELECT c.customer_id, COUNT(*) FROM customers c JOIN orders o ON o.customer_id = c.customer_id JOIN employees e ON e.manager_id = c.customer_id GROUP BY c.customer_id
--§
SELECT c.customer_id, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.customer_id JOIN employees e ON e.manager_id = c.customer_id GROUP BY c.customer_id
