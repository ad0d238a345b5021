-- shows: tables
-- search path: sales, public
--§ The order of the search path decides, not that of the names.
SELECT id FROM invoices
--> postgres
-->   table: invoices = sales.invoices
--§ A common table expression stands in front of every schema.
WITH invoices AS (SELECT 1 AS id) SELECT id FROM invoices
--> postgres
-->   table: invoices = a common table expression
--§ But a schema in front of it means the table.
WITH invoices AS (SELECT 1 AS id) SELECT id FROM public.invoices
--> postgres
-->   table: public.invoices = public.invoices
