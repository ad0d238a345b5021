-- expect: warn(level_summed)
SELECT hotel, sum(in_stock) FROM rooms_free GROUP BY hotel
--§
SELECT hotel, sum(rooms) FROM rooms_free GROUP BY hotel
