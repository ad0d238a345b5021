-- expect: allow
-- rows: orders 100000
-- rows: customers 10000
-- dialect: postgres
WITH c AS (SELECT generate_series(date '2022-01-01', date '2022-12-31', interval '1 day')::date d) SELECT c.d, count(o.order_id) AS n, sum(o.total) AS s FROM c LEFT JOIN orders o ON o.ordered_on::date = c.d GROUP BY c.d ORDER BY c.d
--§
WITH d AS (SELECT DISTINCT ordered_on::date d FROM orders) SELECT d.d, count(o.order_id) AS n FROM d JOIN orders o ON o.ordered_on::date = d.d GROUP BY d.d ORDER BY d.d
--§
SELECT c.country, o.order_id FROM orders o JOIN customers c ON c.customer_id = o.customer_id::int ORDER BY o.details LIMIT 5
--§
SELECT DISTINCT c.country FROM orders o JOIN customers c ON coalesce(o.customer_id, 0) = c.customer_id
