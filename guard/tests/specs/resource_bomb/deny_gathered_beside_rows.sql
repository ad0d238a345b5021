-- expect: deny(resource_bomb)
-- rows: orders 10000
-- rows: order_lines 1000000
-- dialect: duckdb
SELECT max(len(list_distinct(e.l))) AS q FROM orders s, (SELECT list(order_id) l FROM order_lines) e
--§
SELECT max(sha256(e.s || o.order_id)) AS q FROM orders o, (SELECT string_agg(details, '') s FROM orders) e
--§
SELECT max(length(e.l::varchar)) AS q FROM orders o, (SELECT list(order_id) l FROM order_lines) e
--§
SELECT max(list_aggregate(e.l, 'median')) AS q FROM orders o CROSS JOIN (SELECT quantity % 2 k, list(order_id) l FROM order_lines GROUP BY 1) e
--§
SELECT count(*) AS q FROM orders o WHERE len(list_sort((SELECT list(l.order_id) FROM order_lines l))) > o.order_id
--§
SELECT count(*) AS q FROM (SELECT DISTINCT o.order_id, e.l FROM orders o, (SELECT list(order_id) l FROM order_lines) e) x
--§
SELECT count(*) AS q FROM orders s, (SELECT list(order_id) l FROM order_lines) e WHERE e.l = [s.order_id]
