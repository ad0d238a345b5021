-- expect: deny(column_not_profiled)
SELECT entry_id FROM ledger_locked
--§
SELECT * FROM ledger_locked
--§
SELECT sum(o.total) FROM orders o JOIN ledger_locked l ON l.order_id = o.order_id
