-- shows: outputs
--§ A name that two relations have.
SELECT order_id FROM orders o, payments p WHERE o.order_id = p.order_id
--> postgres, sqlite, mysql, duckdb
-->   problem: column order_id may be of o, p at `order_id`
-->   output: order_id = orders.order_id
--§ USING has made one column of them.
SELECT order_id FROM orders JOIN payments USING (order_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: order_id = orders.order_id
--§ So has NATURAL JOIN.
SELECT order_id FROM orders NATURAL JOIN payments
--> postgres, sqlite, mysql, duckdb
-->   output: order_id = orders.order_id
--§ Two aliases of one table.
SELECT name FROM employees a JOIN employees b ON a.manager_id = b.employee_id
--> postgres, sqlite, mysql, duckdb
-->   problem: column name may be of a, b at `name`
-->   output: name = employees.name
--§ A derived table that has the name twice: engines rename, and any of the two may be meant.
SELECT order_id FROM (SELECT o.order_id, p.order_id FROM orders o, payments p) q
--> sqlite, duckdb
-->   output: order_id = computed from orders.order_id, payments.order_id
--§ The name of a result means the result in ORDER BY, though two relations have it.
SELECT o.order_id AS order_id FROM orders o JOIN payments p ON o.order_id = p.order_id ORDER BY order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: order_id = orders.order_id
--§ In WHERE it means none of them.
SELECT o.order_id AS order_id FROM orders o JOIN payments p ON o.order_id = p.order_id WHERE order_id > 3
--> postgres, sqlite, mysql, duckdb
-->   problem: column order_id may be of o, p at `order_id`
-->   output: order_id = orders.order_id
--§ The same relation twice under one name.
SELECT o.total FROM orders o JOIN orders o ON o.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: column o.total may be of o, o at `total`
-->   problem: column o.order_id may be of o, o at `order_id`
-->   problem: column o.order_id may be of o, o at `order_id`
-->   output: total = orders.total
--§ A column inside hides that of the query around it: nothing is ambiguous.
SELECT o.total FROM orders o WHERE EXISTS (SELECT 1 FROM payments WHERE order_id = 3)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
