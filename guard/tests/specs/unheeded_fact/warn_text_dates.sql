-- expect: warn(text_dates_compared)
-- suggests: substr(booked, 7, 4) || '-' || substr(booked, 4, 2) || '-' || substr(booked, 1, 2)
SELECT max(booked) FROM bookings
--§
SELECT booking_id FROM bookings ORDER BY booked DESC LIMIT 5
--§
SELECT count(*) FROM bookings WHERE booked BETWEEN '01.02.2024' AND '29.02.2024'
