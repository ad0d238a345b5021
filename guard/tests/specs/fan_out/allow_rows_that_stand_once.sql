-- expect: allow
SELECT c.country, SUM(o.total) FROM orders o JOIN customers c ON c.customer_id = o.customer_id GROUP BY c.country
--§
SELECT c.customer_id, COUNT(o.order_id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.customer_id
--§
SELECT COUNT(*) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT COUNT(DISTINCT o.order_id) FROM orders o JOIN order_lines l ON l.order_id = o.order_id WHERE l.sku = 'A-1'
--§
SELECT MAX(o.total), MIN(o.ordered_on) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT SUM(o.total) FROM orders o WHERE EXISTS (SELECT 1 FROM order_lines l WHERE l.order_id = o.order_id)
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, SUM(quantity) AS pieces FROM order_lines GROUP BY order_id) l ON l.order_id = o.order_id
--§
WITH lines AS (SELECT order_id, COUNT(*) AS n FROM order_lines GROUP BY 1) SELECT SUM(o.total), SUM(lines.n) FROM orders o JOIN lines ON lines.order_id = o.order_id
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT DISTINCT order_id FROM order_lines WHERE sku = 'A-1') l USING (order_id)
--§
SELECT SUM(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id AND l.line = 1
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, sku, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY quantity DESC) AS place FROM order_lines) l ON l.order_id = o.order_id WHERE l.place = 1
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT l.*, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY quantity) AS place FROM order_lines l) l ON l.order_id = o.order_id AND l.place = 1
--§
SELECT SUM(l.quantity * o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--§
SELECT c.customer_id, COUNT(c.customer_id), AVG(c.is_active) FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.customer_id
--§
SELECT SUM(o.total) FROM orders o JOIN (SELECT COUNT(*) AS n FROM customers) c ON c.n > 0
--§
SELECT COUNT(*) FROM order_lines a JOIN order_lines b ON a.order_id = b.order_id AND a.sku < b.sku
--§
SELECT o.order_id, SUM(o.total) OVER (ORDER BY o.ordered_on) FROM orders o JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT c.country, COUNT(c.customer_id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id WHERE o.order_id IS NULL GROUP BY c.country
--§
SELECT SUM(t.quantity) FROM (SELECT o.total, l.quantity FROM orders o JOIN order_lines l ON l.order_id = o.order_id) t
--§
SELECT COUNT(customer_id) FROM customers JOIN orders USING (customer_id)
--§
SELECT SUM(p.total) FROM paid_orders p JOIN customers c ON c.customer_id = p.customer_id
--§
SELECT l.line, SUM(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY l.line
