-- expect: deny(masked_column)
SELECT count(DISTINCT salary) FROM employees e JOIN shifts s ON s.shift_id = e.employee_id
--§
SELECT count(DISTINCT salary) FROM employees WHERE employee_id IN (1, 2)
--§
SELECT count(DISTINCT salary) FROM employees GROUP BY manager_id
--§
SELECT count(*) FROM employees WHERE employee_id <> 1 GROUP BY salary
--§
SELECT 1, count(*) FROM employees WHERE employee_id > 1 GROUP BY salary UNION ALL SELECT 2, count(*) FROM employees GROUP BY salary
--§
SELECT count(*) FROM employees GROUP BY salary ORDER BY max(CASE WHEN employee_id = 1 THEN 1 ELSE 0 END) DESC LIMIT 1
--§
SELECT o.order_id, (SELECT count(*) FROM employees p GROUP BY p.salary ORDER BY max(p.employee_id) DESC LIMIT 1) FROM orders o
--§
SELECT count(*) FROM employees GROUP BY salary ORDER BY count(*) % 1, count(CASE WHEN employee_id = 1 THEN 1 END) DESC LIMIT 1
--§
SELECT count(*) FROM employees GROUP BY salary ORDER/**/BY count(CASE WHEN employee_id = 1 THEN 1 END)
