-- expect: deny(resource_bomb)
-- rows: orders 1000000
-- dialect: postgres
WITH x AS MATERIALIZED (SELECT order_id, array_agg(details) OVER (ORDER BY order_id) a FROM orders) SELECT count(x1.a) AS q FROM x x1 JOIN x x2 ON x1.order_id = x2.order_id
--§
SELECT count(a) AS q FROM (SELECT order_id, a FROM (SELECT order_id, array_agg(details) OVER (ORDER BY order_id) a FROM orders) s ORDER BY order_id DESC OFFSET 90000) t
--§
WITH RECURSIVE t(n, s) AS (SELECT 1, repeat(status, 20) FROM orders UNION SELECT n + 1, s || n FROM t WHERE n < 500) SELECT count(*) AS q FROM t
