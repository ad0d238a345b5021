-- expect: warn(several_versions)
-- suggests: until IS NULL
SELECT avg(price) FROM room_prices
--§
SELECT m.room, p.price FROM measures m JOIN room_prices p ON p.room = m.room ORDER BY 1 LIMIT 5
