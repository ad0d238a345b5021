-- expect: deny(denied_column)
-- policy: deny_columns shifts.shift_id
SELECT rowid FROM shifts
--§
SELECT s._rowid_ FROM shifts s
