-- expect: deny(masked_column)
-- dialect: clickhouse
SELECT name, _partition_id FROM employees
--§
SELECT name FROM employees e WHERE e._part = 'all_1_1_0'
