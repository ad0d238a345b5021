-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT u.pg_read_file FROM string_to_table('/etc/hostname', ',') u
--§
SELECT 1 FROM regexp_split_to_table('a', 'b') AS r WHERE r.pg_sleep IS NULL
--§
SELECT x.pg_ls_dir FROM jsonb_array_elements_text('["/"]') AS x
