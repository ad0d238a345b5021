-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02', INTERVAL '00:00:00.001'))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2004-01-02', '1 second'::INTERVAL))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2004-01-02', to_seconds(1)))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02', to_milliseconds(1)))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02', INTERVAL '1ms'))
--§
SELECT len(range(0, date_part('epoch', TIMESTAMP '1973-01-01')::BIGINT))
--§
SELECT len(range(0, date_part('epoch', now())::BIGINT))
--§
SELECT len(range(0, datediff('second', TIMESTAMP '2000-01-01', TIMESTAMP '2024-01-01')))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP 'infinity', INTERVAL 1 DAY))
--§
SELECT len(list_resize([1], 300000000))
--§
SELECT len(list_resize([1], '1000000000'::INT))
--§
SELECT length(repeat('a', date_part('epoch', TIMESTAMP '2000-01-01')::BIGINT))
--§
SELECT length(lpad('a', date_part('epoch', TIMESTAMP '2000-01-01')::INT, 'x'))
--§
SELECT length(repeat('a', datediff('second', DATE '2000-01-01', DATE '2024-01-01')))
--§
SELECT length(repeat('a', json_extract('{"a":1000000000}', '$.a')::BIGINT))
