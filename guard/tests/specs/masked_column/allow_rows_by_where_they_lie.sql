-- expect: allow
-- dialect: mysql
SELECT status FROM orders FORCE INDEX (by_status) LIMIT 1
--§
SELECT status FROM orders PARTITION (p0) LIMIT 1
