-- expect: deny(denied_table)
-- dialect: mysql
-- policy: deny_tables emp*
SHOW COLUMNS FROM employees
