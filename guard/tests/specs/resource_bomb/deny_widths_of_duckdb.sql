-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT format('{:20000}', 1)
--§
SELECT format('{:' || '20000}', 1)
