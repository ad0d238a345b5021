-- shows: growth
--§ What is repeated is multiplied.
SELECT repeat(repeat('x', 1000), 1000) AS r
--> postgres, mysql, duckdb
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e3
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e6
-->   growth: OverAllRows of repeat 1.0e6
--§ Nested replacements multiply.
SELECT replace(replace(replace(repeat('a', 1000), 'a', repeat('b', 1000)), 'b', repeat('c', 1000)), 'c', 'dd')
--> postgres
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e3
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e3
-->   growth: Work of replace 1.0e3
-->   growth: WorkAtOnce of replace 1.0e3
-->   growth: Value of replace 1.0e6
-->   growth: OverAllRows of replace 1.0e6
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e3
-->   growth: Work of replace 1.0e6
-->   growth: WorkAtOnce of replace 1.0e6
-->   growth: Value of replace 1.0e9
-->   growth: OverAllRows of replace 1.0e9
-->   growth: Work of replace 1.0e9
-->   growth: WorkAtOnce of replace 1.0e9
-->   growth: Value of replace 2.0e9
-->   growth: OverAllRows of replace 2.0e9
--§ A size is a number however it is written.
SELECT repeat('x', (10 ^ 6)::int)
--> postgres
-->   growth: Size of repeat 1.0e6
-->   growth: Value of repeat 1.0e6
-->   growth: OverAllRows of repeat 1.0e6
--§ Or the least of two.
SELECT repeat('x', least(hashtext(name), 2000)) FROM customers
--> postgres
-->   growth: Size of repeat 2.0e3
-->   growth: Value of repeat 2.0e3
--§ A recursion that doubles.
WITH RECURSIVE c(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM c WHERE n < 40) SELECT length(s) FROM c
--> postgres
-->   growth: Value of c 1.1e12
-->   growth: Value of || 2.2e12
-->   growth: OverAllRows of || 2.2e12
-->   growth: Together of the statement 1.3e3
-->   growth: Together of the statement 5.5e12
--§ One that appends.
WITH RECURSIVE c(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || '/' || n FROM c WHERE n < 40) SELECT s FROM c
--> postgres
-->   growth: Value of c 1.3e3
-->   growth: Value of || 1.3e3
-->   growth: Value of || 1.4e3
-->   growth: Together of the statement 5.4e4
--§ Rows that are made up are collected.
SELECT string_agg(repeat('x', 1000), ',') FROM generate_series(1, 100000)
--> postgres, duckdb
-->   growth: Rows of generate_series 1.0e5
-->   growth: Size of repeat 1.0e3
-->   growth: Value of repeat 1.0e3
-->   growth: Value of string_agg 1.0e8
-->   growth: Together of the statement 1.0e5
-->   growth: Together of the statement 1.0e8
--§ Stored ones are, too, but nobody made them up.
SELECT string_agg(name, ',') FROM customers
--> postgres, duckdb
-->   growth: Value of string_agg 1.0e7, 1.0e7 of it stored
--§ Two series multiply each other.
SELECT 1 FROM generate_series(1, 10000) a, generate_series(1, 10000) b
--> postgres
-->   growth: Rows of generate_series 1.0e4
-->   growth: Rows of generate_series 1.0e4
-->   growth: Together of the statement 1.0e8
-->   growth: Together of the statement 3.2e9
--§ Lists grow with what their functions make.
SELECT list_transform(range(1000), x -> repeat('a', 9000))
--> duckdb
-->   growth: Rows of range 1.0e3
-->   growth: Value of range 3.2e4
-->   growth: OverAllRows of range 3.2e4
-->   growth: Size of repeat 9.0e3
-->   growth: Value of repeat 9.0e3
-->   growth: OverAllRows of repeat 9.0e6
-->   growth: Value of list_transform 9.0e6
--§ Folding a list doubles with every element.
SELECT list_reduce(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'], (x, y) -> x || x)
--> duckdb
-->   growth: Value of || 1.0e3
-->   growth: Value of || 2.0e3
-->   growth: Value of || 4.1e3
-->   growth: Value of list_reduce 1.6e4
--§ What is stored is small.
SELECT name FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
