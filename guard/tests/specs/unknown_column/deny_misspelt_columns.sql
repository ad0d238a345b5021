-- expect: deny(unknown_column)
-- suggests: total
SELECT totl FROM orders
--§
SELECT "totl" FROM orders
--§
SELECT o.totl FROM orders o
--§
SELECT orders.totl FROM orders
--§
SELECT order_id FROM orders WHERE totl > 3
--§
SELECT order_id FROM orders ORDER BY totl
--§
SELECT count(*) FROM orders GROUP BY totl
--§
SELECT sum(totl) FROM orders
--§
SELECT count(*) FROM orders HAVING max(totl) > 1
--§
SELECT q.totl FROM (SELECT total FROM orders) q
--§
WITH a AS (SELECT total FROM orders) SELECT totl FROM a
--§
SELECT sum(total) OVER (ORDER BY totl) FROM orders
--§
SELECT CASE WHEN totl > 1 THEN 1 END FROM orders
--§
SELECT (SELECT max(totl) FROM orders)
--§
SELECT order_id FROM orders UNION SELECT totl FROM orders
