-- shows: outputs
--§ WHERE sees names of the select list in some engines.
SELECT total * 2 AS twice FROM orders WHERE twice > 3
--> postgres, mysql
-->   problem: no column twice in orders at `twice`
-->   output: twice = computed from orders.total
--> sqlite, duckdb, clickhouse
-->   output: twice = computed from orders.total
--§ GROUP BY sees them in all.
SELECT status AS s, count(*) AS n FROM orders GROUP BY s
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: s = orders.status
-->   output: n = aggregated
--§ HAVING in all but PostgreSQL.
SELECT status AS s, count(*) AS n FROM orders GROUP BY status HAVING n > 1
--> postgres
-->   problem: no column n in orders at `n`
-->   output: s = orders.status
-->   output: n = aggregated
--> sqlite, mysql, duckdb, clickhouse
-->   output: s = orders.status
-->   output: n = aggregated
--§ ORDER BY in all.
SELECT total * 2 AS twice FROM orders ORDER BY twice
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: twice = computed from orders.total
--§ The select list itself in DuckDB and ClickHouse.
SELECT total * 2 AS twice, twice + 1 AS more FROM orders
--> postgres, sqlite, mysql
-->   problem: no column twice in orders at `twice`
-->   output: twice = computed from orders.total
-->   output: more = computed
--> duckdb, clickhouse
-->   output: twice = computed from orders.total
-->   output: more = computed from orders.total
--§ Where the select list sees its names, one that is also a column's may be either; in ClickHouse it hides the column.
SELECT country AS name, upper(name) AS shout FROM customers
--> duckdb
-->   output: name = customers.country
-->   output: shout = computed from customers.name, customers.country
--> clickhouse
-->   output: name = computed from customers.name, customers.country
-->   output: shout = computed from customers.name, customers.country
--§ In WHERE a column comes before an alias, but in ClickHouse.
SELECT country AS name FROM customers WHERE name = 'Ada'
--> postgres, sqlite, mysql, duckdb
-->   output: name = customers.country
--> clickhouse
-->   output: name = computed from customers.country
--§ In ORDER BY an alias comes before a column.
SELECT country AS name FROM customers ORDER BY name
--> postgres, sqlite, mysql, duckdb
-->   output: name = customers.country
--> clickhouse
-->   output: name = computed from customers.country
--§ In GROUP BY a column comes before an alias, and both are told where engines differ.
SELECT upper(country) AS name, count(*) AS n FROM customers GROUP BY name
--> sqlite, mysql
-->   output: name = computed from customers.country
-->   output: n = aggregated
--> clickhouse
-->   output: name = aggregated from customers.country
-->   output: n = aggregated from customers.country
--§ QUALIFY sees them.
SELECT total, row_number() OVER (ORDER BY total) AS place FROM orders QUALIFY place = 1
--> duckdb
-->   output: total = orders.total
-->   output: place = computed
--§ A window doesn't make its alias seen beside it.
SELECT row_number() OVER (ORDER BY total) AS place FROM orders WHERE place = 1
--> postgres, mysql
-->   problem: no column place in orders at `place`
-->   output: place = computed
