-- shows: literals
--§ Quotes in a text are doubled.
SELECT 1 FROM customers WHERE name = 'O''Brien'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: customers.name = 'O'Brien' in where
--§ Or stand behind a backslash.
SELECT 1 FROM customers WHERE name = 'O\'Brien'
--> mysql, clickhouse
-->   literal: customers.name = 'O'Brien' in where
--§ In PostgreSQL in one kind of texts alone.
SELECT 1 FROM customers WHERE name = E'O\'Brien'
--> postgres
-->   literal: customers.name = 'O'Brien' in where
--§ Dollars quote.
SELECT 1 FROM customers WHERE name = $$O'Brien$$
--> postgres, duckdb
-->   literal: customers.name = 'O'Brien' in where
--§ From the other side, a comparison is turned around.
SELECT 1 FROM orders WHERE -5 < total
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.total > -5 in where
--§ IN is one comparison for each element.
SELECT 1 FROM orders WHERE status NOT IN ('paid', ('sent'))
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.status <> 'paid' of 2 in where
-->   literal: orders.status <> 'sent' of 2 in where
--§ BETWEEN is two.
SELECT 1 FROM orders WHERE total BETWEEN 1 AND 2
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.total >= 1 in where
-->   literal: orders.total <= 2 in where
--§ Through a derived table.
SELECT 1 FROM (SELECT name AS k FROM customers) q WHERE q.k LIKE 'v%'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: customers.name LIKE 'v%' in where
--§ CASE compares its subject.
SELECT CASE status WHEN 'paid' THEN 1 END FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.status = 'paid' in select
--§ What is made of several columns is none of them.
SELECT 1 FROM customers WHERE concat(name, country) = 'x'
--> postgres, mysql, duckdb, clickhouse
--§ Lower case.
SELECT 1 FROM orders WHERE lower(status) = 'PAID'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: lower(orders.status) = 'PAID' in where
--§ Upper case under another name.
SELECT 1 FROM orders WHERE ucase(status) = 'paid'
--> mysql, clickhouse
-->   literal: upper(orders.status) = 'paid' in where
--§ A collation without case.
SELECT 1 FROM orders WHERE status = 'PAID' COLLATE NOCASE
--> sqlite
-->   literal: orders.status in any case = 'PAID' in where
--§ IS compares.
SELECT 1 FROM orders WHERE status IS 'paid'
--> sqlite
-->   literal: orders.status = 'paid' in where
--§ IS NOT does.
SELECT 1 FROM orders WHERE status IS NOT 'paid'
--> sqlite
-->   literal: orders.status <> 'paid' in where
--§ GLOB.
SELECT 1 FROM orders WHERE status GLOB 'p*'
--> sqlite
-->   literal: orders.status GLOB 'p*' in where
--§ ILIKE.
SELECT 1 FROM orders WHERE status ILIKE 'P%'
--> postgres, duckdb, clickhouse
-->   literal: orders.status ILIKE 'P%' in where
--§ NOT LIKE.
SELECT 1 FROM orders WHERE status NOT LIKE 'p%'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.status NOT LIKE 'p%' in where
--§ A typed literal is its text.
SELECT 1 FROM orders WHERE ordered_on = DATE '2024-01-01'
--> postgres, mysql, duckdb
-->   literal: orders.ordered_on = '2024-01-01' in where
--§ The day of a time.
SELECT 1 FROM orders WHERE date(ordered_on) = '2024-01-01'
--> postgres, sqlite, mysql, duckdb
-->   literal: date(orders.ordered_on) = '2024-01-01' in where
--§ NULL is compared, to no avail.
SELECT 1 FROM orders WHERE status = NULL
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.status = NULL in where
--§ Truth.
SELECT 1 FROM customers WHERE is_active = TRUE
--> postgres, mysql, duckdb
-->   literal: customers.is_active = true in where
--§ Bytes.
SELECT 1 FROM customers WHERE name = X'41'
--> sqlite, mysql
-->   literal: customers.name = X'41' in where
--§ Behind HAVING.
SELECT status, count(*) FROM orders GROUP BY status HAVING status = 'paid'
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: orders.status = 'paid' in having
--§ An element that is no literal.
SELECT 1 FROM customers WHERE name IN ('x', country)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   literal: customers.name = 'x' of 2 in where
