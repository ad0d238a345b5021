-- expect: allow
-- dialect: postgres
SELECT d, h FROM generate_series(1, 366) d JOIN generate_series(0, 23) h ON h < d
--§
SELECT lpad(n::text, 8, '0'), format('%s of %s', n, 5) FROM generate_series(1, 1000) n
