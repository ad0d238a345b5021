-- expect: allow
-- dialect: clickhouse
SELECT o.order_id FROM orders o ANY LEFT JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT o.order_id FROM orders o GLOBAL ALL INNER JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT order_id FROM orders WHERE customer_id GLOBAL IN (SELECT customer_id FROM customers)
--§
SELECT order_id, part FROM orders ARRAY JOIN splitByChar('-', ordered_on) AS part
--§
WITH (SELECT max(total) FROM orders) AS most SELECT order_id FROM orders WHERE total = most
--§
WITH 'paid' AS state, recent AS (SELECT order_id, status FROM orders) SELECT order_id FROM recent WHERE status = state
