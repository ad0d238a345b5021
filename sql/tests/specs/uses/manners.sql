-- shows: uses
--§ A column that is selected is passed on.
SELECT email FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email passed on, carried
--§ One that is computed with isn't.
SELECT upper(email) AS e FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise, carried
--§ Counted.
SELECT count(email) FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email counted
--§ Counted under a condition, it is more than counted.
SELECT count(CASE WHEN email LIKE 'a%' THEN 1 END) FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise, carried
--§ How many different values there are.
SELECT count(DISTINCT email) FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email counted
--§ Of some rows, that tells more.
SELECT count(DISTINCT email) FROM customers WHERE country = 'DE'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise
-->   use: customers.country one of 1 constants
--§ Tested for NULL.
SELECT customer_id FROM customers WHERE email IS NULL
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email tested for null
--§ Equal to a constant.
SELECT customer_id FROM customers WHERE email = 'a'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email one of 1 constants
--§ One of three.
SELECT customer_id FROM customers WHERE email IN ('a', 'b', 'c')
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email one of 3 constants
--§ Compared by size it tells more.
SELECT customer_id FROM customers WHERE email > 'a'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email used otherwise
--§ A pattern tells more.
SELECT customer_id FROM customers WHERE email LIKE 'a%'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email used otherwise
--§ Equal to another column.
SELECT o.total FROM orders o JOIN payments p ON o.order_id = p.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: orders.order_id equated with payments.order_id
-->   use: payments.order_id equated with orders.order_id
-->   use: orders.total passed on, carried
--§ Ordered by.
SELECT customer_id FROM customers ORDER BY email
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.customer_id passed on, carried
-->   use: customers.email used otherwise
--§ Ordered by the place of the result.
SELECT email FROM customers ORDER BY 1
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email passed on, carried
-->   use: customers.email used otherwise
--§ Grouped by.
SELECT count(*) FROM customers GROUP BY email
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise
--§ Through a derived table it is passed on twice.
SELECT q.e FROM (SELECT email AS e FROM customers) q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email passed on, carried
-->   use: customers.email passed on, carried
--§ A comparison in the select list restricts no rows.
SELECT email = 'a' AS is_a FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise, carried
--§ Made different, a value of one column stays what it is.
SELECT DISTINCT email FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email passed on, carried
--§ A window orders by it.
SELECT row_number() OVER (ORDER BY email) AS place FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   use: customers.email used otherwise
