-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT cardinality(array_fill(1::int8, '{100000000}'))
--§
SELECT length(repeat('a', ('[300000000]'::jsonb->0)::int))
--§
SELECT length(repeat('a', ('{"a": [1, 300000000]}'::jsonb#>>'{a,1}')::int))
--§
SELECT length(repeat('a', (('[300000000]'::jsonb || to_jsonb(1))->0)::int))
--§
SELECT length(repeat('a', extract(epoch from timestamp '2000-01-01')::int))
--§
SELECT length(repeat('a', date_part('epoch', timestamp '2000-01-01')::int))
--§
SELECT g FROM generate_series(0, extract(epoch from timestamp '1970-06-01')::bigint) g
--§
SELECT g FROM generate_series(1, ('{1000000000}'::int[])[1]) g
--§
SELECT g FROM generate_series(1, area('(1000000,1000000),(0,0)'::box)::bigint) g
--§
SELECT g FROM generate_series(1, '$1000000000'::money::numeric) g
--§
SELECT g FROM generate_series(1, width_bucket(5, 0, 10, 1000000000)) g
--§
SELECT g FROM generate_series(1, '255.255.255.255'::inet - '0.0.0.0'::inet) g
--§
SELECT g FROM generate_series(1, substr('x1000000000', 2)::int) g
--§
SELECT g FROM generate_series(1, (regexp_match('a1000000000', '[0-9]+'))[1]::int) g
--§
SELECT g FROM generate_series(0, 1, '0.0000001'::numeric) g
