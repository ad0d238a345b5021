-- expect: deny(masked_column)
SELECT name FROM employees WHERE salary = true
--§
SELECT name FROM employees WHERE salary IN (9000, x'39')
--§
SELECT name FROM employees WHERE salary = 9000 COLLATE unicode
--§
SELECT name FROM employees WHERE x'39' <> salary
