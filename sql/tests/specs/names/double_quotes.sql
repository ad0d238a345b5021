-- shows: outputs, literals
--§ A name that names nothing, beside a column, is a text.
SELECT order_id FROM orders WHERE status = "paid"
--> sqlite
-->   problem: no column paid in orders, a text beside a value at `"paid"`
-->   output: order_id = orders.order_id
-->   literal: orders.status = "paid" in where
--> mysql
-->   output: order_id = orders.order_id
-->   literal: orders.status = 'paid' in where
--§ Elsewhere it is an error.
SELECT order_id FROM orders WHERE status = "paid"
--> postgres, duckdb, clickhouse
-->   problem: no column paid in orders at `"paid"`
-->   output: order_id = orders.order_id
--§ Where a column is expected, a text is hardly meant.
SELECT "stattus" FROM orders
--> sqlite
-->   problem: no column stattus in orders, a text at `"stattus"`
-->   output: stattus = computed
--§ On the left of a comparison with a text neither.
SELECT order_id FROM orders WHERE "statis" = 'paid'
--> sqlite
-->   problem: no column statis in orders, a text at `"statis"`
-->   output: order_id = orders.order_id
--§ What is quoted and is a column is the column.
SELECT order_id FROM orders WHERE status = "details"
--> sqlite
-->   output: order_id = orders.order_id
--§ A full-text index may have a column of any name.
SELECT "body of it" FROM notes
--> sqlite
-->   output: body of it = computed from notes.title, notes.body
