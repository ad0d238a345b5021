-- shows: outputs
--§ A column without AS is called by its name, whatever stands in front of it.
SELECT o.total FROM orders o
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
--§ A call is called by the function in PostgreSQL, by its text elsewhere, of which the end isn't sure.
SELECT max(total) FROM orders
--> postgres
-->   output: max = aggregated from orders.total
--> sqlite, mysql
-->   output: (no name) = aggregated from orders.total
--§ An expression.
SELECT total + 1, o.total  *  2 FROM orders o
--> postgres
-->   output: (no name) = computed from orders.total
-->   output: (no name) = computed from orders.total
--> sqlite, mysql
-->   output: total + 1 = computed from orders.total
-->   output: o.total  *  2 = computed from orders.total
--§ A cast.
SELECT CAST(total AS CHAR) FROM orders
--> postgres
-->   output: total = computed from orders.total
--> sqlite, mysql
-->   output: (no name) = computed from orders.total
--§ A scalar subquery.
SELECT (SELECT name FROM customers LIMIT 1)
--> postgres, sqlite, mysql
-->   output: (no name) = computed from customers.name
--§ The columns of VALUES.
SELECT * FROM (VALUES (1, 2)) v
--> postgres
-->   output: column1 = computed
-->   output: column2 = computed
--> duckdb
-->   output: col0 = computed
-->   output: col1 = computed
--§ In SQLite.
SELECT column1, column2 FROM (VALUES (1, 2)) v
--> sqlite
-->   output: column1 = computed
-->   output: column2 = computed
--§ By these names they are found.
SELECT column2 FROM (VALUES (1, 2)) v
--> postgres
-->   output: column2 = computed
--§ By those.
SELECT col1 FROM (VALUES (1, 2)) v
--> duckdb
-->   output: col1 = computed
--§ What stands behind a statement and is none.
SELECT total FROM orders WHEN 1
--> sqlite
-->   problem: not parsed at `1`
--§ A result that is a column, computed, aggregated, computed by a function that only looks like an aggregate, and made over a window.
SELECT total AS a, status || details AS b, max(total) AS c, max(total, customer_id) AS d, sum(total) OVER () AS e FROM orders
--> sqlite
-->   output: a = orders.total
-->   output: b = computed from orders.status, orders.details
-->   output: c = aggregated from orders.total
-->   output: d = computed from orders.customer_id, orders.total
-->   output: e = computed from orders.total
--§ A name in brackets keeps it.
SELECT (total) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
