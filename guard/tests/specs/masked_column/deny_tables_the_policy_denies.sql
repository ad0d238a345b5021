-- expect: deny(denied_table)
-- policy: deny_tables emp*
SELECT * FROM employees
--§
SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM employees)
--§
WITH a AS (SELECT name FROM Employees) SELECT 1 FROM a
--§
PRAGMA table_info('employees')
--§
SELECT * FROM pragma_table_info('employees')
