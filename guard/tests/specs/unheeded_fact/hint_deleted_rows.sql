-- expect: hint(deleted_rows_included)
-- suggests: deleted_at IS NULL
SELECT count(*) FROM sojourns
--§
SELECT avg(s.nights) FROM sojourns s JOIN bookings b ON b.booking_id = s.sojourn_id
