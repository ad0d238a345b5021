-- expect: allow
SELECT 1
--§
VALUES (1, 'a'), (2, 'b')
--§
WITH a AS (SELECT 1 AS n) SELECT n FROM a
--§
EXPLAIN SELECT * FROM orders
--§
EXPLAIN QUERY PLAN SELECT total FROM orders WHERE order_id = 10
--§
SELECT order_id FROM orders UNION SELECT employee_id FROM employees EXCEPT SELECT 1
--§
PRAGMA table_info('orders')
--§
PRAGMA foreign_key_list('orders')
