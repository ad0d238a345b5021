-- expect: deny(masked_column)
-- dialect: postgres
SELECT part FROM employees e, LATERAL string_to_table(e.salary::text, ',') AS t(part)
--§
SELECT t.value FROM employees e, LATERAL jsonb_each(to_jsonb(e.salary)) AS t
--§
SELECT q.* FROM (SELECT t.* FROM employees e, LATERAL jsonb_object_keys(to_jsonb(e.salary)) AS t) q
--§
SELECT * FROM jsonb_object_keys('{}') AS k UNION SELECT salary::text FROM employees
