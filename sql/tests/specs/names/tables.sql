-- shows: tables
-- search path: public, sales
--§ Of two tables of one name the one is meant whose schema comes first.
SELECT id FROM invoices
--> postgres, duckdb
-->   table: invoices = public.invoices
--§ A schema in front names the other.
SELECT id FROM sales.invoices
--> postgres, duckdb
-->   table: sales.invoices = sales.invoices
--§ A table whose schema isn't looked through has to be named with it.
SELECT id FROM receipts
--> postgres, duckdb
-->   problem: no table receipts at `receipts`
-->   table: receipts = unknown
--§ With it, it is found.
SELECT id FROM billing.receipts
--> postgres, duckdb
-->   table: billing.receipts = billing.receipts
--§ A schema that has no such table.
SELECT id FROM sales.receipts
--> postgres, duckdb
-->   problem: no table sales.receipts at `sales.receipts`
-->   table: sales.receipts = unknown
