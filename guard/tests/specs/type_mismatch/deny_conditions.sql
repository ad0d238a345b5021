-- expect: deny(not_a_condition)
-- dialect: postgres
SELECT order_id FROM orders WHERE status AND total > 5
--§
SELECT order_id FROM orders WHERE order_id
