-- expect: deny(unknown_column)
SELECT "no such thing" FROM orders
--§
SELECT order_id FROM orders ORDER BY "nothing"
--§
SELECT order_id FROM orders WHERE "statis" = 'paid'
--§
SELECT order_id FROM orders WHERE status = "statuss"
