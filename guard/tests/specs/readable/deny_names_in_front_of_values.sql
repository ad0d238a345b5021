-- expect: deny(not_understood)
-- dialect: duckdb
SELECT full_name: country FROM customers
