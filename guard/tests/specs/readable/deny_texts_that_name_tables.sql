-- expect: deny(not_understood)
SELECT 'customers'.country FROM customers
--§
SELECT max('c'.country) FROM customers c
