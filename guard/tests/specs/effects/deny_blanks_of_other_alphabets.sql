-- expect: deny(invisible_character)
-- dialect: mysql
SELECT 1 -- , SLEEP(0.1)
FROM (SELECT 1 AS ` `) t
--§
SELECT 1 --　, LOAD_FILE('/etc/hostname')
FROM orders
