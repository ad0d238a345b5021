-- expect: deny(masked_column)
-- dialect: mysql
SELECT name FROM employees PARTITION (p0)
--§
SELECT name FROM employees FORCE INDEX (by_salary) LIMIT 1
--§
SELECT name FROM employees USE INDEX (by_salary) LIMIT 1
--§
SELECT name FROM employees IGNORE INDEX (PRIMARY) LIMIT 1
