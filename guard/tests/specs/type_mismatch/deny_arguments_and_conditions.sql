-- expect: deny(wrong_argument_type)
-- dialect: postgres
SELECT SUM(status) FROM orders
--§
SELECT lower(order_id) FROM orders
--§
SELECT EXTRACT(YEAR FROM status) FROM orders
--§
SELECT date_trunc('month', order_id) FROM orders
