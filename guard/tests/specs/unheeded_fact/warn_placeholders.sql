-- expect: warn(placeholder_included)
-- suggests: NULLIF(leaves_on, '9999-12-31')
SELECT max(leaves_on) FROM bookings
