-- expect: allow
SELECT q.sku, q.total FROM (SELECT l.*, o.order_id, o.total FROM order_lines l JOIN orders o ON o.order_id = l.order_id) q
--§
SELECT x FROM (SELECT name AS x, name AS x FROM employees)
