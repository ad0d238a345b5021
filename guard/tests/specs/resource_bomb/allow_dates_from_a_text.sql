-- expect: allow
-- dialect: mysql
WITH RECURSIVE days AS (
    SELECT date('2025-01-01') AS day
    UNION ALL
    SELECT day + INTERVAL 1 DAY FROM days WHERE day < '2025-12-31'
)
SELECT day FROM days LIMIT 400
