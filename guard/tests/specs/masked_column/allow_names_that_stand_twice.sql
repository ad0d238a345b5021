-- expect: allow
SELECT q.name, q.shift_id FROM (SELECT * FROM employees e JOIN shifts s ON s.shift_id = e.employee_id) q
--§
SELECT q.name FROM (SELECT e.*, m.employee_id FROM employees e JOIN employees m ON m.employee_id = e.manager_id) q
--§
SELECT x FROM (SELECT name AS x, name AS x FROM employees)
