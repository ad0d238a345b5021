-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT pg_read_file('/etc/passwd')
--§
SELECT * FROM pg_ls_dir('.') x
--§
SELECT lower(pg_read_file('x'))
--§
SELECT * FROM orders, LATERAL dblink('a', 'b') AS t(x int)
--§
SELECT ARRAY(SELECT pg_sleep(9))
--§
SELECT pg_catalog.pg_sleep(9)
--§
SELECT xmlforest(1)
--§
SELECT nextval('s'), 1
--§
SELECT evil.lower('a')
--§
SELECT current_setting('data_directory')
--§
SELECT has_table_privilege('a', 'b', 'c')
