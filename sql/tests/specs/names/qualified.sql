-- shows: outputs
--§ A table's name qualifies its columns.
SELECT orders.total FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
--§ Its alias does.
SELECT o.total FROM orders o
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
--§ An alias hides the name.
SELECT orders.total FROM orders o
--> postgres, sqlite, mysql, duckdb
-->   problem: no relation orders in o at `orders`
-->   output: total = computed
--§ A schema, a table and a column.
SELECT public.invoices.id FROM public.invoices
--> postgres, duckdb
-->   output: id = public.invoices.id
--§ The table alone, of one that was named with its schema.
SELECT invoices.public_note FROM public.invoices
--> postgres, duckdb
-->   output: public_note = public.invoices.public_note
--§ Another schema than the one that was named.
SELECT sales.invoices.id FROM public.invoices
--> postgres, duckdb
-->   problem: no relation sales.invoices in invoices at `sales`
-->   output: id = computed
--§ Two tables of one name from two schemas: each is told by its schema.
SELECT public.invoices.public_note, sales.invoices.sales_note FROM public.invoices, sales.invoices
--> postgres, duckdb
-->   output: public_note = public.invoices.public_note
-->   output: sales_note = sales.invoices.sales_note
--§ A qualifier that is no relation there.
SELECT x.total FROM orders o
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no relation x in o at `x`
-->   output: total = computed
--§ A column that the relation hasn't got, though another has.
SELECT o.name FROM orders o JOIN customers c ON o.customer_id = c.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column o.name in o at `name`
-->   output: name = computed
--§ All columns of one relation of two.
SELECT p.* FROM orders o JOIN payments p ON o.order_id = p.order_id
--> postgres, sqlite, duckdb
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: amount = payments.amount
--> mysql
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: amount = payments.amount
-->   output: in an order that only the engine knows
--§ All columns of no relation.
SELECT x.* FROM orders o
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no relation x in o at `x`
--§ All columns of a table with its schema.
SELECT public.invoices.* FROM public.invoices
--> postgres
-->   output: id = public.invoices.id
-->   output: public_note = public.invoices.public_note
