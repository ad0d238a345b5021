-- expect: warn(copied_table)
-- suggests: order_lines
SELECT count(*) FROM order_lines_bak_20230401
--§
SELECT b.sku FROM orders o JOIN order_lines_bak_20230401 b ON b.order_id = o.order_id
