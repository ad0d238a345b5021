-- shows: outputs, columns
--§ A relation's name is its row: every column is read.
SELECT p FROM payments p
--> postgres, duckdb
-->   output: p = computed from payments.payment_id, payments.order_id, payments.amount
-->   column: payments.payment_id in select, implied
-->   column: payments.order_id in select, implied
-->   column: payments.amount in select, implied
--§ Elsewhere it is no column.
SELECT p FROM payments p
--> sqlite, mysql, clickhouse
-->   problem: no column p in p at `p`
-->   output: p = computed
--§ A column of that name comes first.
SELECT amount FROM payments amount
--> postgres, duckdb
-->   output: amount = payments.amount
-->   column: payments.amount in select
--§ The row as an argument.
SELECT count(p) AS n FROM payments p
--> postgres, duckdb
-->   output: n = aggregated
-->   column: payments.payment_id in select, implied
-->   column: payments.order_id in select, implied
-->   column: payments.amount in select, implied
--§ A row that is asked for NULL is asked for its columns.
SELECT 1 FROM payments p WHERE p IS NULL
--> postgres
-->   output: (no name) = computed
-->   column: payments.payment_id in where, implied
-->   column: payments.order_id in where, implied
-->   column: payments.amount in where, implied
--§ `p.*` as an argument is the row.
SELECT row_to_json(p.*) FROM payments p
--> postgres
-->   output: row_to_json = computed from payments.payment_id, payments.order_id, payments.amount
-->   column: payments.payment_id in select, implied
-->   column: payments.order_id in select, implied
-->   column: payments.amount in select, implied
--§ A star that is counted is no column.
SELECT count(*) AS n FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: n = aggregated
