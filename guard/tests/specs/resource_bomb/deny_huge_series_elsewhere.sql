-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT generate_series(1, 100000000000)
--§
SELECT repeat('x', 2000000000)
--§
SELECT lpad('x', 2000000000)
