-- expect: deny(not_understood)
-- dialect: clickhouse
SELECT tuple(sleep(1)).1
--§
SELECT tuple(file('/etc/passwd')).1
--§
SELECT order_id FROM orders WHERE tuple(nosuch).1 = 1
