-- expect: allow
-- dialect: clickhouse
SELECT toDate(ordered_on) d, count() c FROM orders GROUP BY d ORDER BY d WITH FILL FROM toDate('2025-01-01') TO toDate('2026-01-01') STEP 1
