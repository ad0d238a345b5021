-- expect: allow
SELECT sum(total) FROM orders
--§
WITH orders_old AS (SELECT total FROM orders) SELECT total FROM orders_old
