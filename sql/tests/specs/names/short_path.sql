-- shows: tables
-- search path: public
--§ One schema alone is looked through.
SELECT id FROM invoices
--> postgres
-->   table: invoices = public.invoices
--§ What another has isn't found.
SELECT id FROM receipts
--> postgres
-->   problem: no table receipts at `receipts`
-->   table: receipts = unknown
