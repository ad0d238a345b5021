-- expect: allow
SELECT customer_id FROM orders JOIN customers USING (customer_id)
--§
SELECT o.customer_id AS customer_id FROM orders o JOIN customers c ON o.customer_id = c.customer_id ORDER BY customer_id
--§
SELECT total FROM orders JOIN customers USING (customer_id)
