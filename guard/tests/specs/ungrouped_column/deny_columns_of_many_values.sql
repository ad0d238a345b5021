-- expect: deny(ungrouped_column)
-- dialect: postgres
SELECT status, COUNT(*) FROM orders GROUP BY customer_id
--§
SELECT status, MAX(total) FROM orders
--§
SELECT c.country, o.status, SUM(o.total) FROM orders o JOIN customers c ON c.customer_id = o.customer_id GROUP BY c.country
--§
SELECT s, COUNT(*) FROM (SELECT status AS s, total AS t FROM orders) q GROUP BY t
