-- expect: warn(several_meanings)
SELECT sum(amount) FROM bookings
--§
SELECT count(*) FROM bookings WHERE amount > 100
--§
SELECT avg(measured) FROM measures
