-- expect: warn(reference_spelt_otherwise)
SELECT floor, count(*) FROM entries JOIN rooms ON code = room_code GROUP BY floor
