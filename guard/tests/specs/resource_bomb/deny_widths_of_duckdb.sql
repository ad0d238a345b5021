-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT format('{:1000000000}', 1)
--§
SELECT format('{:' || '1000000000}', 1)
