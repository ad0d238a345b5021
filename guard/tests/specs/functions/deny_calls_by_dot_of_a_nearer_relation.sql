-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT (SELECT p.pg_read_file FROM unnest(ARRAY['PG_VERSION']) AS p) AS v FROM (SELECT 1 AS pg_read_file) AS p
--§
SELECT (SELECT p.pg_sleep FROM generate_series(1, 1) AS p) AS v FROM (SELECT 1 AS pg_sleep) AS p
