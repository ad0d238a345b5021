-- expect: warn(rows_elsewhere)
-- suggests: stays_before
SELECT count(*) FROM stays WHERE began >= '2022-07-01' AND deleted_at IS NULL
--§
SELECT count(*) FROM stays WHERE strftime('%Y', began) = '2022' AND deleted_at IS NULL
