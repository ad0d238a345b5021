-- expect: deny(resource_bomb)
-- rows: orders 100000
-- dialect: duckdb
SELECT list_transform(string_split(details, ','), x -> repeat('x', 9000)) FROM orders LIMIT 5
--§
SELECT list_transform(string_split(details, ''), x -> CASE WHEN length(x) = 1 THEN lpad(x, 9000, 'y') ELSE x END) FROM orders LIMIT 5
--§
SELECT list_transform(string_split(details, ','), x -> details || details) FROM orders LIMIT 5
