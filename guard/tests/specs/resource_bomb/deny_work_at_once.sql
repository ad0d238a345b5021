-- expect: deny(resource_bomb)
-- dialect: duckdb
-- rows: orders 2000
SELECT sum(levenshtein(repeat('a', 9000) || x.status, repeat('b', 9000))) AS q FROM orders x
--§
SELECT sum(damerau_levenshtein(repeat('a', 9000) || x.status, repeat('b', 9000))) AS q FROM orders x
