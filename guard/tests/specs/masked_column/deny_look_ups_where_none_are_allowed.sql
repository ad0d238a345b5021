-- expect: deny(masked_column)
-- policy: masked_use none
SELECT name FROM employees WHERE salary = 9000
--§
SELECT name FROM employees WHERE salary IN (9000, 7000)
