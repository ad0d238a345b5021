-- expect: allow
-- dialect: duckdb
SELECT current_date FROM (SELECT signed_up AS "current_date" FROM customers)
--§
SELECT "user" FROM (SELECT full_name AS "user" FROM customers) ORDER BY user
