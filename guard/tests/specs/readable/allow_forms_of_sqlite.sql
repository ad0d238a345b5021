-- expect: allow
SELECT order_id, SUM(total) OVER (ORDER BY order_id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM orders
--§
PRAGMA table_info(orders)
--§
SELECT order_id FROM orders WHERE details ISNULL AND (total NOTNULL) AND NOT (status ISNULL)
