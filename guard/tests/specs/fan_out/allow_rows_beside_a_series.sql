-- expect: allow
-- dialect: postgres
SELECT d::date AS day, count(s.shift_id) FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-31', interval '1 day') d LEFT JOIN shifts s ON s.held_on = d::date GROUP BY 1 ORDER BY 1
--§
SELECT d.day, count(s.shift_id) FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-31', interval '1 day') AS d (day) LEFT JOIN shifts s ON s.held_on = d.day GROUP BY d.day
--§
SELECT n, sum(o.total) FROM generate_series(1, 100) n JOIN orders o ON o.order_id = n GROUP BY n
