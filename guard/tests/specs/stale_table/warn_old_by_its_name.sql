-- expect: warn(old_by_name)
-- suggests: employees
SELECT count(*) FROM employee_list_legacy
