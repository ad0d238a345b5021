-- dialect: postgres
-- expect: warn(last_day_left_out)
-- rewrite: SELECT count(*) FROM calls WHERE began_at < '2024-01-07'
SELECT count(*) FROM calls WHERE began_at <= '2024-01-06'
