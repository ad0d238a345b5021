-- shows: outputs, joins
--§ USING equates the columns, and a star has them once.
SELECT * FROM payments JOIN orders USING (order_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: amount = payments.amount
-->   output: customer_id = orders.customer_id
-->   output: status = orders.status
-->   output: total = orders.total
-->   output: ordered_on = orders.ordered_on
-->   output: details = orders.details
-->   output: in an order that only the engine knows
-->   join: payments.order_id = orders.order_id
--§ NATURAL does so with every name that both have.
SELECT * FROM employees NATURAL JOIN customers
--> postgres, sqlite, mysql, duckdb
-->   output: employee_id = employees.employee_id
-->   output: manager_id = employees.manager_id
-->   output: name = employees.name
-->   output: customer_id = customers.customer_id
-->   output: country = customers.country
-->   output: email = customers.email
-->   output: is_active = customers.is_active
-->   output: in an order that only the engine knows
-->   join: employees.name = customers.name
--§ With a qualifier each side keeps its own.
SELECT o.order_id, p.order_id FROM orders o JOIN payments p USING (order_id)
--> postgres, sqlite, mysql, duckdb
-->   output: order_id = orders.order_id
-->   output: order_id = payments.order_id
-->   join: orders.order_id = payments.order_id
--§ FULL JOIN takes the column from either side.
SELECT order_id FROM orders FULL JOIN payments USING (order_id)
--> postgres, duckdb
-->   output: order_id = computed from orders.order_id, payments.order_id
-->   join: orders.order_id = payments.order_id
--§ So may RIGHT JOIN.
SELECT order_id FROM orders RIGHT JOIN payments USING (order_id)
--> postgres, sqlite, mysql, duckdb
-->   output: order_id = computed from orders.order_id, payments.order_id
-->   join: orders.order_id = payments.order_id
--§ LEFT JOIN takes that of the left.
SELECT order_id FROM orders LEFT JOIN payments USING (order_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: order_id = orders.order_id
-->   join: orders.order_id = payments.order_id
--§ A name that one side lacks.
SELECT 1 FROM orders JOIN customers USING (order_id)
--> postgres, duckdb
-->   problem: no column order_id in orders, customers at `order_id`
-->   output: (no name) = computed
--> sqlite, mysql, clickhouse
-->   problem: no column order_id in orders, customers at `order_id`
-->   output: 1 = computed
--§ NATURAL between relations that share no name equates nothing.
SELECT quantity FROM order_lines NATURAL JOIN employees
--> postgres, sqlite, mysql
-->   output: quantity = order_lines.quantity
