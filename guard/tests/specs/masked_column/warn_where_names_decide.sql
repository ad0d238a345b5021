-- expect: warn(unreadable_table)
-- policy: unprofiled names
SELECT entry_id FROM ledger_locked
--§
SELECT order_id FROM ledger_locked WHERE entry_id > 1
