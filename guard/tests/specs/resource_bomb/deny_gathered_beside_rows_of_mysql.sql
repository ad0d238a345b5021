-- expect: deny(resource_bomb)
-- rows: orders 10000
-- rows: customers 500
-- dialect: mysql
SELECT count(DISTINCT concat(e.s, o.order_id)) AS q FROM orders o, (SELECT group_concat(details) s FROM orders) e
--§
SELECT sum(length(sha2(concat((SELECT group_concat(details) FROM orders), o.order_id, c.customer_id), 512))) AS q FROM orders o, customers c
--§
SELECT length(json_objectagg(o.order_id, e.s)) AS q FROM orders o, (SELECT group_concat(details) s FROM orders) e
--§
SELECT count(DISTINCT e.s) AS q FROM customers c, (SELECT group_concat(details) s FROM orders) e
