-- expect: allow
SELECT sqlite_master.total FROM orders AS sqlite_master
--§
WITH sqlite_master AS (SELECT 1 AS n) SELECT n FROM sqlite_master
--§
SELECT 'sqlite_master'
--§
SELECT name FROM pragma_table_info('orders')
