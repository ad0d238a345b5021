-- expect: deny(resource_bomb)
-- dialect: duckdb
SELECT len(list_resize([1], substr('0.350000000',3)::int))
--§
SELECT length(repeat(repeat('a',9000), unicode(chr(1114111))//4))
--§
SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2024-01-01', to_microseconds(order_id))) FROM orders
--§
SELECT len(list_resize([1], '0.999999999'[3:]::int))
--§
SELECT repeat('a', regexp_extract('0.999999999','[0-9]{5,}')::int)
