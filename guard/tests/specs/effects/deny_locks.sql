-- expect: deny(locks)
-- dialect: postgres
SELECT * FROM orders FOR UPDATE
--§
SELECT * FROM orders FOR SHARE NOWAIT
--§
SELECT * FROM customers WHERE customer_id IN (SELECT customer_id FROM orders FOR UPDATE SKIP LOCKED)
--§
WITH a AS (SELECT * FROM orders FOR UPDATE) SELECT * FROM a
