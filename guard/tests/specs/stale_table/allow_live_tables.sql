-- expect: allow
SELECT sum(total) FROM orders
--§
WITH orders_old AS (SELECT total FROM orders) SELECT total FROM orders_old
--§
SELECT sum(quantity) FROM order_lines_archive
--§
SELECT count(*) FROM order_lines l JOIN order_lines_bak_20230401 b USING (order_id, line)
