-- expect: deny(writes)
-- dialect: postgres
WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
--§
SELECT * FROM (WITH u AS (UPDATE orders SET total = 0 RETURNING *) SELECT * FROM u) q
--§
SELECT (WITH i AS (INSERT INTO orders (order_id) VALUES (1) RETURNING order_id) SELECT order_id FROM i)
--§
WITH x AS (SELECT 1) DELETE FROM orders
--§
SELECT 1 UNION (WITH d AS (DELETE FROM orders RETURNING 1) SELECT * FROM d)
