-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT * FROM generate_series(1, 0xffffffff)
--§
SELECT * FROM generate_series(1, CAST(1000000000 AS int))
--§
SELECT repeat('x', 1000000000::int)
