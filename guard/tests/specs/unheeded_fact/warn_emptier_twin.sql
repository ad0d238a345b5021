-- expect: warn(emptier_twin)
-- suggests: origin
SELECT count(*) FROM bookings WHERE channel = 'web'
--§
SELECT channel, count(*) FROM bookings GROUP BY channel
