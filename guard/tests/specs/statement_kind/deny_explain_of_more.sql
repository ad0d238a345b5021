-- expect: deny(writes)
EXPLAIN DELETE FROM orders
--§
EXPLAIN QUERY PLAN UPDATE orders SET total = 1
