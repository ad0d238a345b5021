-- expect: allow
-- dialect: clickhouse
SELECT name FROM employees WHERE name.size = 4
--§
SELECT lower(name) AS name, count(*) FROM employees GROUP BY name
--§
SELECT e.name AS who, o.total FROM employees e JOIN orders o ON o.order_id = e.employee_id
