-- expect: deny(ambiguous_column)
SELECT customer_id FROM orders JOIN customers ON orders.customer_id = customers.customer_id
--§
SELECT order_id FROM orders o, order_lines l WHERE o.order_id = l.order_id
--§
SELECT name FROM employees e JOIN employees m ON e.manager_id = m.employee_id
--§
SELECT 1 FROM orders o JOIN order_lines l ON order_id = 3
