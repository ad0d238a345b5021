-- expect: allow
-- dialect: postgres
SELECT generate_series(date_trunc('month', now()) - interval '11 months', now(), '1 month')
--§
SELECT d::date FROM generate_series('2024-01-01'::date, '2024-12-31', '1 day') d
--§
SELECT d FROM generate_series(date '2024-01-01', current_date, interval '1 week') d
--§
SELECT d FROM generate_series('2024-01-01 00:00'::timestamp, '2024-01-02 00:00'::timestamp, '01:00:00') d
--§
SELECT d FROM generate_series('2024-01-01 00:00'::timestamp, '2024-01-02 00:00'::timestamp, '15 minutes'::interval) d
--§
SELECT d FROM generate_series(timestamp '2024-01-01', timestamp '2024-02-01', make_interval(days => 1)) d
--§
SELECT generate_series(1, extract(day from date '2024-02-29')::int)
--§
SELECT repeat('x', '5'::int)
--§
SELECT generate_series(1, 10, 2)
--§
SELECT generate_series(0.0, 1.0, 0.1)
--§
SELECT array_fill(0, ARRAY[3,3])
--§
SELECT array_fill(0, '{3,3}')
--§
SELECT generate_series(current_date - 30, current_date, '1 day')
--§
SELECT generate_series(current_date - interval '30 days', current_date, '1 day'::interval)
--§
SELECT generate_series(2020, extract(year from now())::int)
--§
SELECT generate_series('2024-01-01'::date, now(), interval '1 day')
--§
SELECT (regexp_match('ab12', '[0-9]+'))[1]::int
--§
SELECT d, extract(dow from d), to_char(d, 'Day') FROM generate_series(current_date - 6, current_date, '1 day') d
--§
SELECT t FROM generate_series(date_trunc('hour', now()) - interval '2 days', now(), interval '15 minutes') t
--§
SELECT date_part('day', now() - timestamp '2024-01-01'), age(now(), '2024-01-01'::date)
--§
SELECT string_agg(extract(week from d)::text, ',') FROM generate_series(date '2024-01-01', date '2024-12-31', interval '1 day') d
--§
SELECT now() AT TIME ZONE 'Europe/Berlin'
