-- shows: outputs, joins
--§ A subquery sees the relations of the query around it.
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: name = customers.name
-->   join: orders.customer_id = customers.customer_id
--§ Its own come first.
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM employees WHERE name = c.country)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: name = customers.name
-->   join: employees.name = customers.country
--§ A name that only the query around it has.
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE country = status)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: name = customers.name
-->   join: customers.country = orders.status
--§ Two levels out.
SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM payments WHERE amount > customers.customer_id))
--> postgres, sqlite, mysql, duckdb
-->   output: name = customers.name
--§ The query around it doesn't see into it.
SELECT o.total FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no relation o in c at `o`
-->   output: total = computed
-->   join: orders.customer_id = customers.customer_id
--§ A scalar subquery is made from what it selects.
SELECT (SELECT max(total) FROM orders WHERE customer_id = c.customer_id) AS most FROM customers c
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: most = aggregated from orders.total
-->   join: orders.customer_id = customers.customer_id
--§ One that selects a column of the query around it.
SELECT (SELECT c.name) AS same FROM customers c
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: same = computed from customers.name
--§ IN over a subquery equates with what that selects.
SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: name = customers.name
-->   join: customers.customer_id = orders.customer_id
--§ A subquery sees the names of the select list as the clause that it stands in does.
SELECT total AS t FROM orders ORDER BY (SELECT t)
--> sqlite, mysql, duckdb
-->   output: t = orders.total
