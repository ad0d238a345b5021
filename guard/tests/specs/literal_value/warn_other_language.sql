-- expect: warn(value_in_several_spellings)
-- suggests: storniert
SELECT count(*) FROM bookings WHERE state = 'cancelled'
