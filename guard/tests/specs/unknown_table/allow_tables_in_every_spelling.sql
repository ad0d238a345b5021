-- expect: allow
SELECT * FROM ORDERS
--§
SELECT * FROM [orders]
--§
SELECT * FROM `orders`
--§
SELECT * FROM "Orders"
--§
SELECT * FROM main.orders
--§
SELECT main.orders.total FROM main.orders
--§
SELECT * FROM "odd names"
--§
SELECT * FROM paid_orders
--§
WITH orders AS (SELECT 1 AS one) SELECT one FROM orders
