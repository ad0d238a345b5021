-- expect: warn(unreadable_table)
SELECT count(*) FROM ledger_locked
--§
SELECT count(entry_id) FROM ledger_locked WHERE order_id = 10
