-- expect: deny(masked_column)
SELECT true FROM (SELECT salary AS "true" FROM employees)
