-- expect: deny(resource_bomb)
-- dialect: clickhouse
SELECT length(arrayStringConcat(arrayMap(x -> repeat('a', 9000), range(100000))))
--§
SELECT length(replaceAll(replaceAll(repeat('a', 9000), 'a', repeat('b', 9000)), 'b', 'cc'))
--§
SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) x, (SELECT arrayJoin(range(1000000)) AS b) y
--§
SELECT toFixedString('a', 100000000)
