-- expect: deny(masked_column)
SELECT "max( salary )" FROM (SELECT max(salary) FROM employees)
--§
SELECT "salary+ 0" FROM (SELECT salary+0 FROM employees)
