-- shows: outputs, uses
--§ The first part names the columns, both make them.
SELECT name AS n FROM customers UNION ALL SELECT name FROM employees
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: n = computed from customers.name, employees.name
-->   use: customers.name passed on, carried
-->   use: employees.name passed on, carried
--§ UNION compares rows: values are used.
SELECT name FROM customers UNION SELECT name FROM employees
--> postgres, sqlite, mysql, duckdb
-->   output: name = computed from customers.name, employees.name
-->   use: customers.name passed on, carried
-->   use: employees.name passed on, carried
-->   use: customers.name used otherwise
-->   use: employees.name used otherwise
--§ EXCEPT and INTERSECT do, too.
SELECT name FROM customers EXCEPT SELECT name FROM employees
--> postgres, sqlite, mysql, duckdb
-->   output: name = computed from customers.name, employees.name
-->   use: customers.name passed on, carried
-->   use: employees.name passed on, carried
-->   use: customers.name used otherwise
-->   use: employees.name used otherwise
--§ The same column twice stays that column.
SELECT total FROM orders UNION ALL SELECT total FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: total = orders.total
-->   use: orders.total passed on, carried
-->   use: orders.total passed on, carried
--§ ORDER BY behind it sees the results of the first part.
SELECT name AS n FROM customers UNION ALL SELECT country FROM customers ORDER BY n
--> postgres, sqlite, mysql, duckdb
-->   output: n = computed from customers.name, customers.country
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
-->   use: customers.name used otherwise
-->   use: customers.country used otherwise
--§ And not the relations.
SELECT name AS n FROM customers UNION ALL SELECT country FROM customers ORDER BY email
--> postgres, sqlite, mysql, duckdb
-->   problem: no column email at `email`
-->   output: n = computed from customers.name, customers.country
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
--§ BY NAME puts columns of one name together; what is made from what isn't followed further.
SELECT name, country FROM customers UNION ALL BY NAME SELECT email AS country FROM customers
--> duckdb
-->   output: name = computed from customers.name, customers.country, customers.email
-->   output: country = computed from customers.name, customers.country, customers.email
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
-->   use: customers.email passed on, carried
--§ A column of a derived table is made from both parts.
SELECT q.n FROM (SELECT name AS n FROM customers UNION ALL SELECT country FROM customers) q
--> postgres, sqlite, duckdb
-->   output: n = computed from customers.name, customers.country
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
--§ Three parts.
SELECT name FROM customers UNION ALL SELECT country FROM customers UNION ALL SELECT email FROM customers
--> postgres, duckdb
-->   output: name = computed from customers.name, customers.country, customers.email
-->   use: customers.name passed on, carried
-->   use: customers.country passed on, carried
-->   use: customers.email passed on, carried
--§ Brackets around a part.
(SELECT name FROM customers ORDER BY name LIMIT 1) UNION ALL (SELECT country FROM customers)
--> postgres, duckdb
-->   output: name = computed from customers.name, customers.country
-->   use: customers.name passed on, carried
-->   use: customers.name used otherwise
-->   use: customers.country passed on, carried
