-- expect: warn(empty_at_that_time)
SELECT avg(rating) FROM sojourns WHERE began >= '2023-07-01' AND deleted_at IS NULL
