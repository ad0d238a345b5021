-- expect: warn(last_day_left_out)
-- suggests: 2024-01-07
SELECT count(*) FROM calls WHERE began_at BETWEEN '2024-01-01' AND '2024-01-06'
--§
SELECT count(*) FROM calls WHERE began_at >= '2024-01-01' AND began_at <= '2024-01-06'
--§
SELECT count(*) FROM calls c WHERE c.began_at <= '2024-01-06' AND c.seconds > 60
--§
SELECT count(*) FROM (SELECT began_at AS moment FROM calls) q WHERE '2024-01-06' >= moment
