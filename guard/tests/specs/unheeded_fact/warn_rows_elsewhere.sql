-- expect: warn(rows_elsewhere)
-- suggests: sojourns_before
SELECT count(*) FROM sojourns WHERE began >= '2022-07-01' AND deleted_at IS NULL
--§
SELECT count(*) FROM sojourns WHERE strftime('%Y', began) = '2022' AND deleted_at IS NULL
