-- expect: deny(resource_bomb)
SELECT length(replace(replace(replace(hex(zeroblob(1000)), '0', hex(zeroblob(500))), '0', hex(zeroblob(500))), '0', '11'))
--§
SELECT length(hex(hex(hex(hex(hex(zeroblob(900000)))))))
--§
WITH RECURSIVE c(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM c WHERE n < 40) SELECT length(s) FROM c
--§
SELECT length(group_concat(hex(zeroblob(10000)))) FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000) SELECT n FROM c)
--§
SELECT quote(quote(quote(quote(quote(quote(quote(quote(quote(hex(zeroblob(100000)))))))))))
