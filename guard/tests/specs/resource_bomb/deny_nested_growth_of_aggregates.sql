-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT cardinality(array_agg(g + 0)), cardinality(array_agg(g + 1)), cardinality(array_agg(g + 2)), cardinality(array_agg(g + 3)), cardinality(array_agg(g + 4)), cardinality(array_agg(g + 5)), cardinality(array_agg(g + 6)), cardinality(array_agg(g + 7)), cardinality(array_agg(g + 8)), cardinality(array_agg(g + 9)), cardinality(array_agg(g + 10)), cardinality(array_agg(g + 11)), cardinality(array_agg(g + 12)), cardinality(array_agg(g + 13)), cardinality(array_agg(g + 14)), cardinality(array_agg(g + 15)), cardinality(array_agg(g + 16)), cardinality(array_agg(g + 17)), cardinality(array_agg(g + 18)), cardinality(array_agg(g + 19)) FROM generate_series(1, 150000) g
--§
SELECT count(*) FROM (SELECT array_agg(g) FROM generate_series(1, 300000) g GROUP BY CUBE(g, g + 1, g + 2, g + 3)) q
--§
SELECT max(n) FROM (SELECT array_length(array_agg(g), 1) AS n FROM generate_series(1, 100000) g GROUP BY GROUPING SETS ((), (g), (g + 1)), ROLLUP (g, g * 2, g * 3, g * 4, g * 5, g * 6, g * 7, g * 8, g * 9, g * 10, g * 11, g * 12)) q
