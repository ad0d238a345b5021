-- shows: outputs
--§ A dotted name goes on into a value with fields.
SELECT details.channel FROM orders
--> duckdb, clickhouse
-->   output: channel = computed from orders.details
--§ Elsewhere it is a relation that isn't there.
SELECT details.channel FROM orders
--> postgres, sqlite, mysql
-->   problem: no relation details in orders at `details`
-->   output: channel = computed
--§ A relation is looked for before a column is: this is a column of the relation.
SELECT name.country FROM customers name
--> duckdb
-->   output: country = customers.country
--§ A column of a relation, and a field of it.
SELECT o.details.channel FROM orders o
--> duckdb
-->   output: channel = computed from orders.details
--§ A field of a row in brackets may be a function that is called with the row.
SELECT (o).status FROM orders o
--> postgres
-->   output: (no name) = computed from orders.order_id, orders.customer_id, orders.status, orders.total, orders.ordered_on, orders.details
--§ An element of an array, and what its place is computed from.
SELECT (string_to_array(details, ','))[customer_id] FROM orders
--> postgres
-->   output: (no name) = computed from orders.customer_id, orders.details
