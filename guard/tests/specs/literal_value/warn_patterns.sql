-- expect: warn(value_unmatched)
-- suggests: DE
SELECT count(*) FROM customers WHERE country LIKE '%Germany%'
