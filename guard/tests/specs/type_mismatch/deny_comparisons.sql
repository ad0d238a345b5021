-- expect: deny(incomparable_types)
-- dialect: postgres
SELECT order_id FROM orders WHERE order_id >= CAST('2024-01-01' AS date)
--§
SELECT order_id FROM orders WHERE status = 5
--§
SELECT order_id FROM orders WHERE order_id = 'paid'
--§
SELECT order_id FROM orders WHERE order_id IN (1, 'two')
--§
SELECT order_id FROM orders WHERE total BETWEEN 5 AND 'much'
--§
SELECT o.order_id FROM orders o JOIN customers c ON c.country = o.customer_id
--§
SELECT order_id FROM orders WHERE order_id ILIKE '1%'
--§
SELECT order_id FROM (SELECT order_id, status AS s FROM orders) q WHERE s > 3
