-- expect: deny(masked_column)
-- dialect: postgres
SELECT name, tableoid FROM employees
--§
SELECT name FROM employees e WHERE e.tableoid = 1
--§
SELECT name FROM employees TABLESAMPLE SYSTEM (10)
