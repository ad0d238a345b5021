-- shows: compared, conditions
--§ A column and a text.
SELECT 1 FROM orders WHERE total = '3'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   compared: orders.total = '3'
--§ A cast says of which type it is.
SELECT 1 FROM orders WHERE total = '3'::numeric
--> postgres, duckdb
-->   compared: orders.total = a NUMERIC
--§ Two columns.
SELECT 1 FROM orders WHERE total < customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   compared: orders.total < orders.customer_id
--§ What is made of a column with a function before it is compared.
SELECT 1 FROM orders WHERE upper(status) = 'PAID'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   wrapped: orders.status by upper
--§ In the select list nothing is restricted by it.
SELECT upper(status) = 'PAID' AS is_paid FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ By a computation.
SELECT 1 FROM orders WHERE total * 2 = 5
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   wrapped: orders.total by an expression
--§ By a part of a date.
SELECT 1 FROM orders WHERE EXTRACT(YEAR FROM ordered_on) = 2024
--> postgres, mysql, duckdb
-->   wrapped: orders.ordered_on by extract
--§ A column alone is a condition.
SELECT 1 FROM customers WHERE is_active AND customer_id > 3
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   compared: customers.customer_id > 3
-->   condition: customers.is_active
--§ NOT makes it another.
SELECT 1 FROM customers WHERE NOT is_active
--> postgres, sqlite, mysql, duckdb, clickhouse
