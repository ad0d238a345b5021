-- expect: warn(last_day_left_out)
-- rewrite: SELECT count(*) FROM calls WHERE NOT (began_at >= '2024-01-01' AND began_at < '2024-01-07')
SELECT count(*) FROM calls WHERE NOT began_at BETWEEN '2024-01-01' AND '2024-01-06'
