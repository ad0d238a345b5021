-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT CAST(CAST(10 AS regrole) AS text)
--§
SELECT order_id::regclass::text FROM orders
