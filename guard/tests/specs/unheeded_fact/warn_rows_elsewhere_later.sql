-- expect: warn(rows_elsewhere)
-- suggests: sojourns
SELECT count(*) FROM sojourns_before WHERE began >= '2022-07-01' AND began < '2023-07-01'
