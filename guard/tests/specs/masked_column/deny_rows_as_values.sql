-- expect: deny(masked_column)
-- dialect: clickhouse
SELECT tuple(*) FROM employees
--§
SELECT toString(tuple(*)) FROM employees
--§
SELECT max(tuple(*)) FROM employees
