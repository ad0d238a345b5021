-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT length(repeat('a', substr('0.999999999',3)::int))
--§
SELECT length(repeat('a', right('0.999999999',9)::int))
--§
SELECT length(repeat('a', split_part('1.999999999','.',2)::int))
--§
SELECT length(repeat('a', ltrim('0.999999999','0.')::int))
--§
SELECT length(repeat('a', reverse('000000001')::int))
--§
SELECT length(repeat('a', cot(0.000000001)::int))
--§
SELECT length(repeat('a', sinh(21)::int))
--§
SELECT length(repeat('a', log(1.000000001,2)::int))
--§
SELECT length(repeat('a', tan(1.570796326)::int))
--§
SELECT length(repeat('a', array_upper('[1000000000:1000000000]={1}'::int[],1)))
--§
SELECT length(repeat('a', (select sum(100000+total*0) from orders)::int))
--§
SELECT repeat(repeat('a',8000), ascii('😀'))
--§
SELECT repeat(repeat('a',999), (select count(*) from generate_series(1,1000000))::int)
--§
SELECT cardinality(array_fill(1::int8, array[substr('0.100000000',3)::int]))
--§
SELECT t FROM generate_series('2000-01-01'::timestamp, '2024-01-01', '1 day -23:59:59.999999') t
--§
SELECT t FROM generate_series('2000-01-01'::timestamp, '1999-12-01', '1 month -31 days'::interval) t
--§
SELECT t FROM orders o, LATERAL generate_series(timestamp '2000-01-01', timestamp '2024-01-01', o.order_id * interval '1 microsecond') t
--§
SELECT length(string_agg(repeat('x',3600)||o.status,'')) FROM orders o JOIN orders p ON o.status = p.status
--§
SELECT length(repeat(repeat('a',9900),1000)||'0'), length(repeat(repeat('a',9900),1000)||'1'), length(repeat(repeat('a',9900),1000)||'2'), length(repeat(repeat('a',9900),1000)||'3'), length(repeat(repeat('a',9900),1000)||'4'), length(repeat(repeat('a',9900),1000)||'5'), length(repeat(repeat('a',9900),1000)||'6'), length(repeat(repeat('a',9900),1000)||'7'), length(repeat(repeat('a',9900),1000)||'8'), length(repeat(repeat('a',9900),1000)||'9'), length(repeat(repeat('a',9900),1000)||'10'), length(repeat(repeat('a',9900),1000)||'11')
