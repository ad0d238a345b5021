-- expect: deny(unknown_table)
SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) q JOIN a ON 1 = 1
