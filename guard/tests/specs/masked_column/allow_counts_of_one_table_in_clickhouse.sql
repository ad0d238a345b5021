-- expect: allow
-- dialect: clickhouse
SELECT count(salary), uniq(salary), uniqExact(salary), countIf(manager_id = 1) FROM employees
--§
SELECT * EXCEPT (salary) FROM employees
