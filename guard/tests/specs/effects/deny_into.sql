-- expect: deny(select_into)
-- dialect: postgres
SELECT * INTO copy FROM orders
--§
SELECT order_id INTO TEMP t FROM orders
--§
WITH a AS (SELECT * FROM orders) SELECT * INTO b FROM a
