-- expect: allow
-- rows: orders 100000
-- dialect: duckdb
SELECT list_transform(string_split(details, ','), x -> upper(x)) FROM orders LIMIT 5
--§
SELECT list_transform(string_split(details, ','), x -> trim(x) || '!') FROM orders LIMIT 5
