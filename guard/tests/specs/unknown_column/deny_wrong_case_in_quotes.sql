-- expect: deny(unknown_column)
-- dialect: postgres
-- suggests: total
SELECT "Total" FROM orders
