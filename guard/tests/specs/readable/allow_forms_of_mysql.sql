-- expect: allow
-- dialect: mysql
SELECT order_id FROM orders WHERE EXTRACT(YEAR_MONTH FROM ordered_on) = 202401
--§
SELECT order_id FROM orders WHERE ordered_on < NOW() - INTERVAL '1:30' HOUR_MINUTE
--§
SELECT full_name FROM customers WHERE !is_active AND customer_id MOD 2 = 1
--§
SELECT 1 FROM DUAL
