-- expect: deny(resource_bomb)
-- dialect: postgres
-- rows: orders 2000000
SELECT string_agg(o.status, ',')::int AS q FROM orders o
--§
SELECT CAST(string_agg(o.status, ',') AS date) AS q FROM orders o
--§
SELECT repeat(repeat('x', 9000), 300)::uuid AS q
--§
SELECT (array_agg(o.status)::text)::int[] AS q FROM orders o
