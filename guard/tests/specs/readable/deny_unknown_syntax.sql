-- expect: deny(not_understood)
-- dialect: other
FROM orders |> SELECT order_id
--§
SELECT order_id FROM orders FOR XML AUTO
