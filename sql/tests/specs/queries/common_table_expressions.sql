-- shows: outputs, tables
--§ A common table expression is followed to the table.
WITH q AS (SELECT total AS t FROM orders) SELECT t FROM q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: t = orders.total
-->   table: orders = orders
-->   table: q = a common table expression
--§ A list of columns names them.
WITH q(m) AS (SELECT name FROM customers), r AS (SELECT m AS n FROM q) SELECT n FROM r
--> postgres, sqlite, mysql, duckdb
-->   output: n = customers.name
-->   table: customers = customers
-->   table: q = a common table expression
-->   table: r = a common table expression
--§ It hides a table of its name.
WITH orders AS (SELECT amount FROM payments) SELECT amount FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: amount = payments.amount
-->   table: payments = payments
-->   table: orders = a common table expression
--§ One that selects from a table of its own name, without being recursive.
WITH orders AS (SELECT total FROM orders) SELECT total FROM orders
--> postgres, mysql, duckdb, clickhouse
-->   output: total = orders.total
-->   table: orders = orders
-->   table: orders = a common table expression
--> sqlite
-->   effect: NotUnderstood
-->   output: total = orders.total
-->   table: orders = orders
-->   table: orders = a common table expression
--§ The inner one hides the outer one.
WITH q AS (SELECT name AS x FROM customers) SELECT x FROM (WITH q AS (SELECT status AS x FROM orders) SELECT x FROM q) r
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: x = orders.status
-->   table: customers = customers
-->   table: orders = orders
-->   table: q = a common table expression
--§ Behind its query it is gone.
SELECT * FROM (WITH q AS (SELECT total FROM orders) SELECT total FROM q) r, q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no table q at `q`
-->   output: total = orders.total
-->   table: orders = orders
-->   table: q = a common table expression
-->   table: q = unknown
--§ A subquery sees it.
WITH q AS (SELECT max(total) AS most FROM orders) SELECT name FROM customers WHERE customer_id = (SELECT most FROM q)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: name = customers.name
-->   table: orders = orders
-->   table: customers = customers
-->   table: q = a common table expression
--§ It doesn't see the query that it stands in front of.
WITH q AS (SELECT o.total FROM payments p) SELECT q.total FROM q, orders o
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no relation o in p at `o`
-->   output: total = computed
-->   table: payments as p = payments
-->   table: q = a common table expression
-->   table: orders as o = orders
--§ A later one is not there yet.
WITH a AS (SELECT x FROM b), b AS (SELECT name AS x FROM customers) SELECT x FROM a
--> postgres, duckdb
-->   problem: no table b at `b`
-->   effect: NotUnderstood
-->   output: x = computed
-->   table: b = unknown
-->   table: customers = customers
-->   table: a = a common table expression
--§ Two uses of one are two relations.
WITH q AS (SELECT order_id, total FROM orders) SELECT a.total FROM q a JOIN q b ON a.order_id = b.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
-->   table: orders = orders
-->   table: q as a = a common table expression
-->   table: q as b = a common table expression
--§ A value that WITH names is a column everywhere.
WITH 3 AS three SELECT total + three AS sum_ FROM orders
--> clickhouse
-->   output: sum_ = computed from orders.total
-->   table: orders = orders
--§ One that writes is an effect.
WITH gone AS (DELETE FROM payments RETURNING amount) SELECT amount FROM gone
--> postgres
-->   effect: Write
-->   output: amount = computed
-->   table: gone = a common table expression
