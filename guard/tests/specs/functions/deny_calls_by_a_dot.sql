-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT ('/etc/hostname'::text).pg_read_file
--§
SELECT (12345::bigint).pg_advisory_lock
--§
SELECT (ARRAY['x'])[1].pg_read_file
--§
SELECT (o.order_id).pg_terminate_backend FROM orders o
--§
SELECT (SELECT 'x'::text).pg_ls_dir
--§
SELECT o.pg_terminate_backend[1] FROM orders o
--§
SELECT o.order_id[1].pg_ls_dir FROM orders o
