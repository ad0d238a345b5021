-- expect: allow
-- rows: orders 100000
-- rows: customers 10000
-- dialect: postgres
WITH s AS (SELECT jsonb_object_agg(status, n) m FROM (SELECT status, count(*) n FROM orders GROUP BY status) q) SELECT o.order_id, s.m ->> o.status AS q FROM orders o, s LIMIT 10
--§
WITH s AS (SELECT string_agg(DISTINCT country, ',') cs FROM customers) SELECT c.customer_id, position(c.country IN s.cs) AS q FROM customers c, s LIMIT 10
--§
SELECT unnest(array_agg(DISTINCT country)) AS q FROM customers
--§
SELECT customer_id, array_agg(order_id) OVER (PARTITION BY customer_id) AS q FROM orders LIMIT 10
