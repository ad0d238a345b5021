-- expect: allow
SELECT printf('%05d', order_id), printf('%.2f%%', total) FROM orders
--§
SELECT hex(randomblob(16))
