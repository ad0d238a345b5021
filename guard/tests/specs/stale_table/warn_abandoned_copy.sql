-- expect: warn(stale_table)
-- suggests: orders
SELECT sum(total) FROM orders_old
--§
SELECT o.order_id FROM orders_old o JOIN orders USING (order_id)
