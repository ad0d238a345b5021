-- expect: warn(reference_spelt_otherwise)
SELECT floor, count(*) FROM entries JOIN chambers ON code = room_code GROUP BY floor
