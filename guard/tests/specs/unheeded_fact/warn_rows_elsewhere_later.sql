-- expect: warn(rows_elsewhere)
-- suggests: stays
SELECT count(*) FROM stays_before WHERE began >= '2022-07-01' AND began < '2023-07-01'
