-- expect: deny(masked_column)
SELECT e.name FROM shifts s JOIN employees e ON e.employee_id = s.shift_id JOIN (SELECT 7000 AS salary) x USING (salary)
--§
SELECT e.name FROM (SELECT 7000 AS salary) x JOIN employees e USING (salary)
--§
SELECT a.name FROM employees a CROSS JOIN employees b JOIN employees c USING (salary)
--§
SELECT a.name FROM shifts NATURAL JOIN employees a NATURAL JOIN employees b
