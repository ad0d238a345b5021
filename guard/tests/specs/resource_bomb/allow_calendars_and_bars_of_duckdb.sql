-- expect: allow
-- dialect: duckdb
SELECT d FROM range(make_date(2025,1,1), make_date(2026,1,1), INTERVAL 1 DAY) t(d)
--§
SELECT repeat('#', count(*)::int // 10) FROM orders GROUP BY status
