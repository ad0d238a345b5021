-- expect: allow
-- dialect: postgres
SELECT status, COUNT(*) FROM orders GROUP BY status
--§
SELECT status AS s, COUNT(*) FROM orders GROUP BY s
--§
SELECT status, COUNT(*) FROM orders GROUP BY 1
--§
SELECT o.status, o.total, COUNT(*) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY o.order_id
--§
SELECT c.country, c.customer_id, COUNT(*) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.customer_id
--§
SELECT customer_id, COUNT(*) FROM customers JOIN orders USING (customer_id) GROUP BY customer_id
--§
SELECT lower(status), COUNT(*) FROM orders GROUP BY lower(status)
--§
SELECT status, COUNT(*) OVER (PARTITION BY customer_id) FROM orders
--§
SELECT status, customer_id, COUNT(*) FROM orders GROUP BY GROUPING SETS ((status), (customer_id))
--§
SELECT status, (SELECT COUNT(*) FROM customers) FROM orders
