-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT t FROM generate_series('2000-01-01'::timestamp, '2024-01-01', '1 microsecond') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', '1 microsecond'::interval) t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', interval '00:00:00.000001') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', interval '0.000001') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', 'PT0.000001S') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', '1usec') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', '@ 1 microsecond') t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', '1 second'::interval / 1000000) t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', make_interval(secs => 0.000001)) t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', make_interval(0, 0, 0, 0, 0, 0, 0.000001)) t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp '2000-01-02', justify_hours('1 microsecond')) t
--§
SELECT t FROM generate_series(timestamp '2000-01-01', timestamp 'infinity', interval '1 day') t
--§
SELECT t FROM generate_series(timestamp '-infinity', timestamp '2000-01-01', interval '1 day') t
--§
SELECT t FROM generate_series(now() - interval '10 years', now(), '1 second') t
