-- expect: deny(writes)
WITH x AS (SELECT 1) UPDATE orders SET total = 0
--§
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 9) INSERT INTO orders (order_id) SELECT n FROM x
--§
SELECT * FROM (DELETE FROM orders RETURNING *)
