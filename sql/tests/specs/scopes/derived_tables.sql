-- shows: outputs
--§ A derived table has the columns that it selects, and no others.
SELECT q.total FROM (SELECT order_id FROM orders) q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column q.total in q at `total`
-->   output: total = computed
--§ It doesn't see what stands beside it; in DuckDB it does.
SELECT d.n FROM orders o, (SELECT o.total AS n) d
--> postgres, sqlite, mysql
-->   problem: no relation o at `o`
-->   output: n = computed
--> duckdb
-->   output: n = orders.total
--§ With LATERAL it does.
SELECT d.n FROM orders o, LATERAL (SELECT o.total AS n) d
--> postgres, duckdb
-->   output: n = orders.total
--§ LATERAL is not known to all.
SELECT d.n FROM orders o, LATERAL (SELECT o.total AS n) d
--> sqlite, clickhouse
-->   effect: NotUnderstood
-->   output: n = orders.total
--§ What isn't beside it may be a query further out; in DuckDB, what is beside it comes first.
SELECT (SELECT max(d.n) FROM orders c, (SELECT c.customer_id AS n) d) AS most FROM customers c
--> postgres
-->   output: most = aggregated from customers.customer_id
--> duckdb
-->   output: most = aggregated from orders.customer_id
--§ LATERAL puts what is beside it first everywhere.
SELECT (SELECT max(d.n) FROM orders c, LATERAL (SELECT c.customer_id AS n) d) AS most FROM customers c
--> postgres, duckdb
-->   output: most = aggregated from orders.customer_id
--§ A list of columns behind the alias gives new names.
SELECT q.a, q.b FROM (SELECT order_id, total FROM orders) AS q(a, b)
--> postgres, duckdb, clickhouse
-->   output: a = orders.order_id
-->   output: b = orders.total
--§ A list that is shorter leaves the others their names.
SELECT q.a, q.total FROM (SELECT order_id, total FROM orders) AS q(a)
--> postgres, duckdb
-->   output: a = orders.order_id
-->   output: total = orders.total
--§ The old name is gone.
SELECT q.order_id FROM (SELECT order_id, total FROM orders) AS q(a, b)
--> postgres, duckdb
-->   problem: no column q.order_id in q at `order_id`
-->   output: order_id = computed
--§ What a derived table computes is made from what that is made from.
SELECT q.both_ FROM (SELECT concat(name, country) AS both_ FROM customers) q
--> postgres, mysql, duckdb, clickhouse
-->   output: both_ = computed from customers.name, customers.country
--§ A derived table needs no alias.
SELECT total FROM (SELECT total FROM orders)
--> sqlite, duckdb
-->   output: total = orders.total
--§ Behind brackets with an alias, single relations can't be seen.
SELECT o.total FROM (orders o JOIN customers c ON o.customer_id = c.customer_id) j
--> duckdb
-->   problem: no relation o in j at `o`
-->   output: total = computed
--§ Without one they can.
SELECT o.total FROM (orders o JOIN customers c ON o.customer_id = c.customer_id)
--> postgres, sqlite, mysql, duckdb
-->   output: total = orders.total
