-- expect: allow
-- dialect: postgres
SELECT status, tableoid FROM orders LIMIT 5
--§
SELECT status FROM orders TABLESAMPLE SYSTEM (10) LIMIT 5
