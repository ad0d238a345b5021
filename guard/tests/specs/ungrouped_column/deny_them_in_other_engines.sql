-- expect: deny(ungrouped_column)
-- dialect: duckdb
SELECT status, COUNT(*) FROM orders GROUP BY customer_id
