-- expect: deny(masked_column)
-- dialect: clickhouse
SELECT x FROM (SELECT (SELECT max(salary) FROM employees) AS order_id, order_id AS x FROM orders)
--§
SELECT x FROM (SELECT order_id AS x, (SELECT max(salary) FROM employees) AS order_id FROM orders)
--§
SELECT y FROM (SELECT salary AS name, name AS y FROM employees)
--§
WITH (SELECT max(salary) FROM employees) AS order_id SELECT order_id FROM orders
