-- expect: deny(resource_bomb)
SELECT randomblob(1000000000)
--§
SELECT zeroblob(2147483647)
--§
SELECT hex(zeroblob(900000000))
--§
SELECT printf('%.*c', 1000000000, 'x')
--§
SELECT printf('%999999999d', 1)
--§
SELECT format('%1000000000s', 'x')
--§
SELECT zeroblob(total * 1000000) FROM orders
--§
SELECT count(*) FROM generate_series(1, 10000000000)
--§
SELECT * FROM generate_series(1)
