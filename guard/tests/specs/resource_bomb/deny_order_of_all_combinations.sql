-- expect: deny(resource_bomb)
-- rows: orders 20000
-- rows: order_lines 1000000
SELECT max(length(x)) AS q FROM (SELECT o.details || l.sku AS x FROM orders o, order_lines l ORDER BY 1) y
--§
SELECT count(*) AS q FROM (SELECT DISTINCT o.details, l.sku FROM orders o CROSS JOIN order_lines l) y
