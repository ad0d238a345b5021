-- expect: allow
-- dialect: clickhouse
SELECT x FROM (SELECT lower(name) AS name, name AS x, employee_id FROM employees)
