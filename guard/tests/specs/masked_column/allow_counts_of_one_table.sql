-- expect: allow
SELECT count(salary) FROM employees e JOIN shifts s ON s.shift_id = e.employee_id
--§
SELECT m.name, count(*) FROM employees e JOIN employees m ON m.employee_id = e.manager_id GROUP BY m.name
