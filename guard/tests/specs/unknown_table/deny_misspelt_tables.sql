-- expect: deny(unknown_table)
-- suggests: orders
SELECT * FROM oders
--§
SELECT * FROM "oders"
--§
SELECT * FROM customers WHERE customer_id IN (SELECT customer_id FROM Order_s)
--§
WITH a AS (SELECT * FROM ordrs) SELECT * FROM a
--§
SELECT (SELECT max(total) FROM orderss)
--§
SELECT total FROM main.order
