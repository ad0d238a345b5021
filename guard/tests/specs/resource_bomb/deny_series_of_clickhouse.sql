-- expect: deny(resource_bomb)
-- dialect: clickhouse
SELECT count() FROM numbers(toUInt64(1000000000000))
--§
SELECT count() FROM (SELECT toUInt64(1) AS a ORDER BY a WITH FILL TO 1000000000000)
--§
SELECT count() FROM numbers(pow(10, 12))
