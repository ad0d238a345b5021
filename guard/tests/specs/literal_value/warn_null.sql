-- expect: warn(compared_with_null)
SELECT count(*) FROM customers WHERE email = NULL
--§
SELECT count(*) FROM customers WHERE email <> 'null'
