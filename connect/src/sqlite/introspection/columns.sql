-- hidden: 1 is a virtual table's hidden column, which `SELECT *` leaves out; 2 and 3 are generated columns.
SELECT name, type, "notnull", dflt_value, pk, hidden IN (2, 3)
FROM pragma_table_xinfo(?1, 'main')
WHERE hidden <> 1
ORDER BY cid;
