-- expect: deny(resource_bomb)
-- dialect: clickhouse
SELECT length(range(JSONExtractUInt('{"a":300000000}', 'a')))
--§
SELECT length(range(toUInt32(extract('x300000000', '[0-9]+'))))
--§
SELECT length(range(toUInt32(replaceOne('x300000000', 'x', ''))))
--§
SELECT length(range(toUInt64(dateDiff('second', toDate('2000-01-01'), toDate('2024-01-01')))))
