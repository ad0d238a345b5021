-- shows: unjoined, joins
--§ Nothing connects them.
SELECT count(*) FROM orders o, customers c
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   unjoined: c from o
--§ A condition in WHERE does.
SELECT count(*) FROM orders o, customers c WHERE o.customer_id = c.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   join: orders.customer_id = customers.customer_id
--§ One of three is left.
SELECT count(*) FROM orders o, customers c, payments p WHERE o.customer_id = c.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   unjoined: p from o, c
-->   join: orders.customer_id = customers.customer_id
--§ Connected through a third.
SELECT count(*) FROM customers c, orders o, payments p WHERE o.customer_id = c.customer_id AND p.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   join: orders.customer_id = customers.customer_id
-->   join: payments.order_id = orders.order_id
--§ CROSS JOIN means it, and still is told.
SELECT count(*) FROM orders o CROSS JOIN customers c
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   unjoined: c from o
--§ A condition of one relation connects nothing.
SELECT count(*) FROM orders o JOIN customers c ON o.total > 3
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   unjoined: c from o
--§ Any comparison of both does.
SELECT count(*) FROM orders a JOIN orders b ON a.total < b.total
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ A condition under OR connects as well.
SELECT count(*) FROM orders o, customers c WHERE o.customer_id = c.customer_id OR o.total = c.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   join: orders.customer_id = customers.customer_id
-->   join: orders.total = customers.customer_id
--§ One row needs no join.
SELECT count(*) FROM orders o, (SELECT max(amount) AS most FROM payments) m
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ LIMIT 1 leaves one row.
SELECT count(*) FROM orders o, (SELECT amount FROM payments LIMIT 1) m
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ A correlated subquery connects what it names.
SELECT count(*) FROM orders o, customers c WHERE EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.order_id AND p.amount = c.customer_id)
--> postgres, sqlite, mysql, duckdb
-->   join: payments.order_id = orders.order_id
-->   join: payments.amount = customers.customer_id
--§ Rows of values.
SELECT count(*) FROM orders o JOIN customers c ON (o.customer_id, 1) = (c.customer_id, 1)
--> postgres, sqlite, mysql, duckdb
