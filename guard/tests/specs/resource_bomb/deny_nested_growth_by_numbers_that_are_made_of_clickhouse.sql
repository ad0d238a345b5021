-- expect: deny(resource_bomb)
-- dialect: clickhouse
SELECT arraySum(range(toUInt64(sum(300000000+order_id*0)/1800))) FROM orders
--§
SELECT length(range(toUInt32(-1)))
--§
SELECT length(range(toUInt32(substring('0.999999999',3))))
