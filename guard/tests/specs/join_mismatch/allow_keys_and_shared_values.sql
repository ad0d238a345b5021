-- expect: allow
SELECT o.total FROM orders o JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT a.order_id FROM orders a JOIN orders b ON a.status = b.status AND a.order_id < b.order_id
--§
SELECT e.name FROM employees e JOIN employees m ON e.manager_id = m.employee_id
--§
SELECT o.total FROM orders o JOIN shifts s ON s.held_on = o.ordered_on
--§
SELECT o.total FROM orders o JOIN order_lines_archive a ON a.order_id = o.order_id
