-- expect: deny(ambiguous_column)
SELECT customer_id FROM orders JOIN customers ON orders.customer_id = customers.customer_id
--§
SELECT order_id FROM orders o, order_lines l WHERE o.order_id = l.order_id
--§
SELECT name FROM employees e JOIN employees m ON e.manager_id = m.employee_id
--§
SELECT 1 FROM orders o JOIN order_lines l ON order_id = 3
--§
SELECT o.total FROM orders o JOIN customers c ON customer_id = c.customer_id JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT c.country FROM customers c JOIN orders o ON order_id = 10 JOIN order_lines l ON l.order_id = o.order_id
