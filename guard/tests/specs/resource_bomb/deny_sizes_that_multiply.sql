-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT length(translate(repeat('a', 10000), repeat('b', 10001), 'x'))
--§
SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b
--§
SELECT count(*) FROM (SELECT array_agg(repeat('x', 1000)) FROM generate_series(1, 1000000)) x
--§
SELECT repeat('a', 1000 * 1000)
--§
SELECT count(*) FROM generate_series(1, (10 ^ 9)::bigint)
--§
SELECT lpad('x', (SELECT 1000000000))
