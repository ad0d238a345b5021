-- expect: deny(unknown_column)
SELECT total FROM (SELECT order_id FROM orders) q
--§
WITH a(x) AS (SELECT total FROM orders) SELECT total FROM a
--§
SELECT b.n FROM (SELECT 1 AS n) a, (SELECT 2 AS m) b
--§
SELECT total FROM customers
--§
SELECT 1 FROM orders JOIN customers USING (order_id)
--§
SELECT name FROM orders WHERE EXISTS (SELECT 1 FROM employees)
