-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT len(list_transform(range(100000), x -> repeat('a', 9000))::VARCHAR)
--§
SELECT length(list_aggregate(list_transform(range(1000), x -> repeat('a', 9000)), 'string_agg', repeat(',', 9000)))
--§
SELECT list_reduce(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'], (x, y) -> x || x || x)
--§
SELECT length(replace(replace(repeat('a', 9000), 'a', repeat('b', 9000)), 'b', 'cc'))
