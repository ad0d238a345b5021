-- expect: deny(parameter)
SELECT * FROM orders WHERE order_id = ?
--§
SELECT * FROM orders WHERE order_id = ?1
--§
SELECT * FROM orders WHERE order_id = :id
--§
SELECT * FROM orders WHERE order_id = $id
--§
SELECT * FROM orders WHERE order_id = @id
