-- expect: warn(total_rows_included)
-- suggests: level <> 'H'
SELECT sum(beds) FROM wings
--§
SELECT avg(beds) FROM wings WHERE wing_id > 10
