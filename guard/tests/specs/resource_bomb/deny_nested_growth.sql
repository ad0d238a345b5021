-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT length(replace(replace(replace(repeat('a', 1000), 'a', repeat('b', 1000)), 'b', repeat('c', 1000)), 'c', 'dd'))
--§
WITH a AS (SELECT repeat('x', 10000) AS s), b AS (SELECT replace(s, 'x', repeat('y', 10000)) AS s FROM a) SELECT length(s) FROM b
--§
WITH RECURSIVE c(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM c WHERE n < 40) SELECT length(max(s)) FROM c
--§
SELECT length(string_agg(repeat('x', 1000), ',')) FROM generate_series(1, 1000000) g
--§
SELECT regexp_replace(repeat('a', 9000), 'a', repeat('b', 9000), 'g')
--§
SELECT format(repeat('%1$s', 2000), repeat('x', 10000))
--§
SELECT array_to_string(string_to_array(repeat('a,', 5000), ','), repeat('x', 9000))
--§
SELECT jsonb_pretty(repeat('[', 9000)::jsonb)
--§
SELECT repeat(full_name, 100000000) FROM customers
--§
SELECT replace(replace(full_name, 'a', repeat('a', 9000)), 'a', repeat('b', 9000)) FROM customers
--§
SELECT repeat('x', (customer_id * 1000000)::int) FROM customers
--§
SELECT array_fill(repeat('x', 1000), ARRAY[1000, 1000])
--§
SELECT CAST('x' AS char(10000000))
--§
SELECT (SELECT string_agg(a.s || b.s, '') FROM (SELECT repeat('x', 1000) AS s FROM generate_series(1, 1000)) a, (SELECT repeat('y', 1000) AS s FROM generate_series(1, 1000)) b)
--§
SELECT count(*) FROM regexp_split_to_table(repeat('a', 10000), '') a, regexp_split_to_table(repeat('a', 10000), '') b, regexp_split_to_table(repeat('a', 10000), '') c
