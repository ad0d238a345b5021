-- expect: allow
-- dialect: mysql
SHOW TABLES
--§
SHOW COLUMNS FROM orders
