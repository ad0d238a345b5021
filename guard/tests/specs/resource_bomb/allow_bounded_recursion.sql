-- expect: allow
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100) SELECT n FROM c
--§
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 50) SELECT n FROM c
--§
WITH RECURSIVE up(id, boss, depth) AS (SELECT employee_id, manager_id, 0 FROM employees WHERE name = 'Hal' UNION ALL SELECT e.employee_id, e.manager_id, depth + 1 FROM employees e JOIN up ON e.employee_id = up.boss) SELECT * FROM up
--§
WITH RECURSIVE days(day) AS (SELECT date('2024-01-01') UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < '2024-01-31') SELECT day FROM days
