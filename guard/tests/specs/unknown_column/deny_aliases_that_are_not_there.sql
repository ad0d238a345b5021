-- expect: deny(unknown_alias)
SELECT x.total FROM orders o
--§
SELECT orders.total FROM orders o
--§
SELECT x.* FROM orders o
--§
SELECT o.total FROM orders
--§
SELECT q.total FROM orders o WHERE o.total > 1
--§
SELECT (SELECT a.total) FROM orders o
--§
SELECT d.n FROM orders o, (SELECT x.total AS n FROM customers c) d
