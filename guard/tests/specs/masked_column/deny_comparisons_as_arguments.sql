-- expect: deny(denied_column)
-- dialect: duckdb
-- policy: deny_columns orders.total
SELECT order_id, coalesce(total = 590) FROM orders
