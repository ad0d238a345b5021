-- expect: allow
-- dialect: postgres
SELECT d FROM generate_series(make_date(2025,1,1), make_date(2025,12,31), '1 day') d
--§
SELECT d FROM generate_series(date_trunc('month', make_date(2026,1,1)), now(), '1 week'::interval) d
--§
SELECT d FROM generate_series(to_date('2025-01-01','YYYY-MM-DD'), to_date('2025-12-31','YYYY-MM-DD'), '1 day') d
--§
SELECT t FROM generate_series(to_timestamp(1767225600), to_timestamp(1769904000), '1 day') t
--§
SELECT status, repeat('#', (count(*) / 10)::int) FROM orders GROUP BY status
--§
SELECT status, repeat('#', (sum(total) / 100)::int) FROM orders GROUP BY status
--§
SELECT left(status, 2)::text, split_part(status, '_', 1), reverse(status) FROM orders
--§
SELECT string_agg(status || repeat(' ', 20), ',') FROM orders
--§
SELECT o.status, repeat('#', round(count(*) / 10.0)::int) FROM orders o GROUP BY o.status
--§
SELECT o.status, repeat('#', (percentile_cont(0.5) WITHIN GROUP (ORDER BY o.order_id))::int) FROM orders o GROUP BY o.status
