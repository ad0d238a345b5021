-- expect: hint(deleted_rows_included)
-- suggests: deleted_at IS NULL
SELECT count(*) FROM stays
--§
SELECT avg(s.nights) FROM stays s JOIN bookings b ON b.booking_id = s.stay_id
