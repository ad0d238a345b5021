-- expect: allow
-- rows: orders 1000000
-- rows: order_lines 5000000
-- rows: customers 100000
-- dialect: duckdb
WITH skus AS (SELECT order_id, string_agg(sku, ', ') AS all_skus FROM order_lines GROUP BY order_id) SELECT o.order_id, upper(s.all_skus) AS q FROM orders o JOIN skus s ON s.order_id = o.order_id LIMIT 10
--§
SELECT o.order_id, coalesce((SELECT string_agg(l.sku, ', ') FROM order_lines l WHERE l.order_id = o.order_id), '') AS q FROM orders o LIMIT 10
--§
SELECT c.country, length(string_agg(DISTINCT o.status, ', ')) AS q FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.country
--§
SELECT length(string_agg(DISTINCT status, ', ')) AS q FROM orders
--§
SELECT count(*) AS q FROM orders o JOIN (SELECT list(order_id) l, count(*) n FROM order_lines) e ON o.order_id > e.n
