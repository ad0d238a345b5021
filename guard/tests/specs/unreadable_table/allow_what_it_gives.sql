-- expect: allow
SELECT order_id FROM orders
--§
WITH ledger_locked AS (SELECT order_id FROM orders) SELECT order_id FROM ledger_locked
