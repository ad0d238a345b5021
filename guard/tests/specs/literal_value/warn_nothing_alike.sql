-- expect: warn(value_unknown)
SELECT count(*) FROM customers WHERE country = 'Narnia'
