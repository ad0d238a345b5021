-- expect: warn(day_as_moment)
-- rewrite: SELECT count(*) FROM calls WHERE (began_at >= '2024-01-06' AND began_at < '2024-01-07')
SELECT count(*) FROM calls WHERE began_at = '2024-01-06'
