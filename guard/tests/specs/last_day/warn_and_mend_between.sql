-- expect: warn(last_day_left_out)
-- rewrite: SELECT count(*) FROM calls c WHERE c.began_at >= '2024-01-01' AND c.began_at < '2024-01-07' AND seconds > 60
SELECT count(*) FROM calls c WHERE c.began_at BETWEEN '2024-01-01' AND '2024-01-06' AND seconds > 60
