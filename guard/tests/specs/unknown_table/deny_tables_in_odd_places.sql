-- expect: deny(parse_error)
SELECT 1 WHERE 1 IN sqlite_master
--§
SELECT 1 IN pragma_table_list
--§
SELECT total FROM orders WHERE order_id IN readfile('x')
