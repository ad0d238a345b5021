-- expect: allow
SELECT count(*) FROM employee_list_legacy o JOIN employees e ON e.employee_id = o.number
