-- expect: deny(masked_column)
SELECT count(salary) FILTER (WHERE employee_id = 1) FROM employees
--§
SELECT count(*) FROM employees e JOIN employees m ON m.employee_id <= e.employee_id GROUP BY e.salary
--§
SELECT count(*) FROM employees e, shifts GROUP BY e.salary
--§
SELECT count(*) FROM (SELECT * FROM employees) e GROUP BY salary
--§
WITH e AS (SELECT * FROM employees) SELECT count(*) FROM e GROUP BY salary
--§
SELECT count(DISTINCT name) FROM employees GROUP BY salary
--§
SELECT count(manager_id) FROM employees GROUP BY salary
--§
SELECT count(*) FROM employees GROUP BY salary HAVING max(employee_id) IN (1, 2)
--§
SELECT count(*) FROM employees GROUP BY salary HAVING employee_id = 1
--§
SELECT count(*), count(salary) FROM employees GROUP BY salary
--§
SELECT count(*) AS people FROM employees e GROUP BY e.salary HAVING people > 1 AND count(e.salary) < 5
