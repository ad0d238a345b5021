-- expect: allow
-- rows: order_lines 1000000
-- dialect: mysql
SELECT max(a) AS q FROM (SELECT avg(quantity) OVER (ORDER BY order_id ROWS BETWEEN 364 PRECEDING AND CURRENT ROW) a FROM order_lines) x
--§
SELECT max(a) AS q FROM (SELECT sum(quantity) OVER (PARTITION BY order_id ORDER BY line ROWS UNBOUNDED PRECEDING) a FROM order_lines) x
--§
SELECT max(a) AS q FROM (SELECT sum(quantity) OVER (ORDER BY order_id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) a FROM order_lines) x
