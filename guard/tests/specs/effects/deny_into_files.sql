-- expect: deny(select_into)
-- dialect: mysql
SELECT total FROM orders INTO OUTFILE '/tmp/a'
--§
SELECT total INTO /* x */ DUMPFILE '/tmp/a' FROM orders
