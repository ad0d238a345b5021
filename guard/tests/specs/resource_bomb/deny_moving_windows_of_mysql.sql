-- expect: deny(resource_bomb)
-- rows: order_lines 1000000
-- rows: orders 300000
-- dialect: mysql
SELECT max(a) AS q, max(b) AS r FROM (SELECT max(quantity) OVER w a, min(quantity) OVER w b FROM order_lines WINDOW w AS (ORDER BY order_id ROWS BETWEEN 500000 PRECEDING AND 500000 FOLLOWING)) x
--§
SELECT max(a) AS q FROM (SELECT max(quantity) OVER (ORDER BY order_id ROWS BETWEEN 400000 PRECEDING AND CURRENT ROW) a FROM order_lines) x
--§
SELECT max(a) AS q FROM (SELECT max(quantity) OVER (ORDER BY order_id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) a FROM order_lines) x
--§
SELECT max(a) AS q FROM (SELECT min(sku) OVER (ORDER BY order_id ROWS BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING) a FROM order_lines) x
--§
SELECT max(a) AS q FROM (SELECT max(details) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) a FROM orders) x
