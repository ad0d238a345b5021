-- shows: functions, sizes
--§ With its schema.
SELECT pg_catalog.lower(name) FROM customers
--> postgres
-->   function: pg_catalog.lower(customers.name)
--§ Arguments that are literals, columns, and others.
SELECT replace(name, 'a', concat(country, 'b')) FROM customers
--> postgres, mysql, duckdb, clickhouse
-->   function: concat(customers.country, 'b')
-->   function: replace(customers.name, 'a', …)
--§ A window.
SELECT lag(total) OVER (ORDER BY order_id) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   function: lag(orders.total) over a window
--§ A series as a table: its bounds say how many rows there are.
SELECT 1 FROM orders, generate_series(1, customer_id) g
--> postgres, duckdb
-->   function: generate_series(1, orders.customer_id) as a table
-->   size: orders.customer_id
--§ Rows in the select list.
SELECT regexp_split_to_table(details, ',') FROM orders
--> postgres
-->   function: regexp_split_to_table(orders.details, ',')
-->   size: orders.details
--§ A function that calls another by its name.
SELECT list_aggregate([1, 2], 'sum')
--> duckdb
-->   function: sum(…)
-->   function: list_aggregate(…, 'sum')
--§ And here.
SELECT arrayReduce('max', [1, 2])
--> clickhouse
-->   function: max(…)
-->   function: arrayreduce('max', …)
--§ One whose name is computed.
SELECT list_aggregate([1, 2], name) FROM customers
--> duckdb
-->   effect: NotUnderstood
-->   function: list_aggregate(…, customers.name)
--§ The unit in front is no name.
SELECT TIMESTAMPDIFF(DAY, ordered_on, ordered_on) FROM orders
--> mysql
-->   function: timestampdiff(orders.ordered_on, orders.ordered_on)
--§ A form of its own.
SELECT EXTRACT(YEAR FROM ordered_on) FROM orders
--> postgres, mysql, duckdb
-->   function: extract(orders.ordered_on)
--§ Another.
SELECT TRIM(BOTH 'x' FROM name), SUBSTRING(name FROM 2 FOR 3) FROM customers
--> postgres, mysql, duckdb
-->   function: trim(…, …)
-->   function: substring(…, …, …)
--§ A cast to what names objects looks into the catalogs.
SELECT customer_id::regclass FROM orders
--> postgres
-->   function: regclass(…)
