-- expect: deny(masked_column)
-- dialect: clickhouse
SELECT countIf(salary) FROM employees
--§
SELECT countIf(DISTINCT salary) FROM employees WHERE employee_id = 1
--§
SELECT sumIf(1, salary) FROM employees
--§
SELECT uniqIf(employee_id, salary) FROM employees
--§
SELECT count(salary) OVER (ORDER BY employee_id) FROM employees
