-- expect: deny(resource_bomb)
-- dialect: mysql
-- rows: orders 400
-- rows: order_lines 400
SELECT sum(md5(repeat(repeat('abcdefghij', 1000), 900))) AS q FROM orders x, orders y, order_lines z
--§
SELECT sum(crc32(repeat('x', 9000))) AS q FROM orders x CROSS JOIN orders y CROSS JOIN order_lines z
