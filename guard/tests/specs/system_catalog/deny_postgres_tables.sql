-- expect: deny(system_catalog)
-- dialect: postgres
SELECT * FROM pg_shadow
--§
SELECT * FROM pg_catalog.pg_authid
--§
SELECT usename FROM PG_USER
--§
SELECT * FROM information_schema.tables
--§
SELECT most_common_vals FROM pg_stats
