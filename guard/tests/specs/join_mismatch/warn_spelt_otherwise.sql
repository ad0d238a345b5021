-- expect: warn(reference_spelt_otherwise)
-- suggests: b.lodger_code = 'G-' || printf('%04d', g.lodger_id)
SELECT g.nation, count(*) FROM bookings b JOIN lodgers g ON b.lodger_code = g.lodger_id GROUP BY g.nation
