-- expect: allow
-- dialect: duckdb
SELECT 'a'.upper()
