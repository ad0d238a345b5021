-- expect: allow
SELECT o.total, c.country FROM orders o JOIN customers c USING (customer_id)
--§
SELECT c.country, l.sku FROM customers c JOIN orders o USING (customer_id) JOIN order_lines l USING (order_id)
--§
SELECT total, sku FROM orders NATURAL JOIN order_lines
--§
SELECT e.name, x.label FROM employees e JOIN (SELECT 1 AS employee_id, 'first' AS label) x USING (employee_id)
