-- expect: allow
-- dialect: duckdb
SELECT total * 2 AS twice, twice + 1 AS more FROM orders WHERE twice > 3
--§
SELECT * EXCLUDE (details) FROM orders
--§
SELECT * REPLACE (total * 2 AS total) FROM orders
--§
FROM orders SELECT total
