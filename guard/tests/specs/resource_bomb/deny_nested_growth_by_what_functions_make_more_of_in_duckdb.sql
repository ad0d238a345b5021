-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT length(repeat(bin(repeat('x', 9000)), 200)) AS q
--§
SELECT length(array_to_string(list_select([repeat('x', 9000)], list_resize([1], 900, 1)), '')) AS q
