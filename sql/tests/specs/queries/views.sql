-- shows: view
--§ A column of a view that is a column.
SELECT order_id, total AS sum_of FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: order_id = orders.order_id
-->   view: sum_of = orders.total
--§ One that is computed, and a condition that decides which rows there are.
SELECT total * 2 AS twice FROM orders WHERE status = 'paid'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: twice = computed from orders.total
-->   view: decided by orders.status
--§ Equal columns hold each other's values.
SELECT o.customer_id FROM orders o JOIN customers c ON o.customer_id = c.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: customer_id = orders.customer_id, customers.customer_id
--§ Groups tell by what they are made.
SELECT status, count(*) AS n FROM orders GROUP BY status
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: status = orders.status
-->   view: n = computed
-->   view: decided by orders.status
--§ Whether there is a value is less than the value.
SELECT order_id FROM orders WHERE total IS NOT NULL
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: order_id = orders.order_id
-->   view: tells whether there is orders.total
--§ What the select list counts decides over no row.
SELECT count(email) AS n FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: n = computed
-->   view: tells whether there is customers.email
--§ What CASE decides is in its value.
SELECT CASE WHEN country = 'DE' THEN name ELSE 'other' END AS who FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   view: who = computed from customers.name, customers.country
--§ An order may be seen in a limit.
SELECT order_id FROM orders ORDER BY total LIMIT 3
--> postgres, sqlite, duckdb
-->   view: order_id = orders.order_id
-->   view: decided by orders.total
--§ A column that isn't there.
SELECT nothing FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column nothing in orders at `nothing`
-->   view: nothing = computed
-->   view: not followed
--§ A bare column beside a maximum is taken from its row.
SELECT name, max(customer_id) AS last FROM customers
--> sqlite
-->   view: name = customers.name
-->   view: last = computed from customers.customer_id
-->   view: decided by customers.customer_id
