-- expect: allow
-- dialect: duckdb
SELECT unnest(range(DATE '2024-01-01', DATE '2025-01-01', INTERVAL 1 MONTH))
--§
SELECT unnest(generate_series(current_date - INTERVAL 30 DAY, current_date, INTERVAL 1 DAY))
--§
SELECT * FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-03', to_hours(1))
--§
SELECT * FROM range(date_trunc('month', now()::TIMESTAMP) - INTERVAL 1 YEAR, now()::TIMESTAMP, INTERVAL '1 month')
--§
SELECT datediff('day', DATE '2024-01-01', DATE '2024-03-01'), repeat('#', datediff('month', DATE '2024-01-01', DATE '2024-03-01'))
