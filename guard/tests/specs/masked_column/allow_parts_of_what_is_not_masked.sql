-- expect: allow
-- dialect: clickhouse
SELECT name FROM employees WHERE name.size = 4
--§
SELECT lower(name) AS name, count(*) FROM employees GROUP BY name
--§
SELECT e.name AS who, m.name AS boss FROM employees e JOIN employees m ON m.employee_id = e.manager_id
