-- expect: deny(masked_column)
-- dialect: postgres
SELECT employee_id, (SELECT value FROM generate_series(1, 1)) FROM employees p(employee_id, value)
--§
SELECT (SELECT start FROM generate_series(1, 1) g(x)) AS z FROM (employees p JOIN orders d ON p.employee_id = d.order_id) AS start
