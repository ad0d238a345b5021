-- expect: deny(ungrouped_column)
-- dialect: clickhouse
SELECT status, count() FROM orders GROUP BY customer_id
