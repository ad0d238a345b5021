-- expect: deny(masked_column)
-- dialect: mysql
SELECT (SELECT max(order_id) FROM (SELECT * FROM orders) o WHERE total > 7) FROM (SELECT name, salary AS total FROM employees) e
--§
SELECT (SELECT max(e.total) FROM (SELECT * FROM orders) e) FROM (SELECT salary AS total FROM employees) e
