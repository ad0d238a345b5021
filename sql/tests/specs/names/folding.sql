-- shows: outputs
--§ Names without quotes fold to lower case, match in any case, or only as they are spelt.
SELECT NAME FROM CUSTOMERS
--> postgres, sqlite, duckdb
-->   output: name = customers.name
--> clickhouse
-->   problem: no table CUSTOMERS at `CUSTOMERS`
-->   output: NAME = computed
--§ The same column under an alias, as the table is called.
SELECT NAME FROM customers
--> postgres, sqlite, mysql, duckdb
-->   output: name = customers.name
--> clickhouse
-->   problem: no column NAME in customers at `NAME`
-->   output: NAME = computed
--§ In double quotes: a name of its own case, a name of any case, and a text in MySQL.
SELECT "NAME" FROM customers
--> postgres, clickhouse
-->   problem: no column NAME in customers at `"NAME"`
-->   output: NAME = computed
--> sqlite, duckdb
-->   output: name = customers.name
--> mysql
-->   problem: a text like the column NAME at `"NAME"`
-->   output: "name" = computed
--§ A table in double quotes keeps its case.
SELECT name FROM "Customers"
--> postgres, clickhouse
-->   problem: no table Customers at `"Customers"`
-->   output: name = computed
--> sqlite, duckdb
-->   output: name = customers.name
--§ A name without quotes can't reach a column that has capitals where it is folded.
SELECT Total FROM "Mixed"
--> postgres
-->   problem: no column Total in Mixed at `Total`
-->   output: total = computed
--> sqlite, duckdb
-->   output: total = Mixed.Total
--> clickhouse
-->   output: Total = Mixed.Total
--§ Nor a table.
SELECT "Total" FROM Mixed
--> postgres
-->   problem: no table mixed at `Mixed`
-->   output: Total = computed
--> sqlite, duckdb
-->   output: total = Mixed.Total
--> clickhouse
-->   output: Total = Mixed.Total
--§ In quotes, and as it is spelt, it does.
SELECT "Mixed"."Total", "Id" FROM "Mixed"
--> postgres, clickhouse
-->   output: Total = Mixed.Total
-->   output: Id = Mixed.Id
--> sqlite, duckdb
-->   output: total = Mixed.Total
-->   output: id = Mixed.Id
--§ Backticks quote as double quotes do elsewhere.
SELECT `Total`, `TOTAL_DUE` FROM `Mixed`
--> sqlite, mysql
-->   output: total = Mixed.Total
-->   output: total_due = Mixed.total_due
--> clickhouse
-->   problem: no column TOTAL_DUE in Mixed at ``TOTAL_DUE``
-->   output: Total = Mixed.Total
-->   output: TOTAL_DUE = computed
--§ Brackets quote.
SELECT [TOTAL], [total_due] FROM [mixed]
--> sqlite
-->   output: total = Mixed.Total
-->   output: total_due = Mixed.total_due
--§ An alias of a column is compared as a column is.
SELECT N FROM (SELECT name AS n FROM customers) q
--> postgres, sqlite, mysql, duckdb
-->   output: n = customers.name
--> clickhouse
-->   problem: no column N in q at `N`
-->   output: N = computed
--§ An alias of a relation is compared as a table is.
SELECT Q.n FROM (SELECT name AS n FROM customers) q
--> postgres, sqlite, duckdb
-->   output: n = customers.name
--> clickhouse
-->   problem: no relation Q in q at `Q`
-->   output: n = computed
--§ An alias in quotes keeps its case, and is found in quotes alone where names fold.
SELECT q.n FROM (SELECT name AS "N" FROM customers) q
--> postgres, clickhouse
-->   problem: no column q.n in q at `n`
-->   output: n = computed
--> sqlite, duckdb
-->   output: n = customers.name
--§ A common table expression is compared as a table is.
WITH Q AS (SELECT name FROM customers) SELECT name FROM q
--> postgres, sqlite, duckdb
-->   output: name = customers.name
--> clickhouse
-->   problem: no table q at `q`
-->   output: name = computed
--§ So are the columns that are listed behind it.
WITH q(N) AS (SELECT name FROM customers) SELECT n FROM q
--> postgres, sqlite, duckdb
-->   output: n = customers.name
--> clickhouse
-->   problem: no column n in q at `n`
-->   output: n = computed
--§ ORDER BY finds a result in another case.
SELECT total AS Sum_Of FROM orders ORDER BY SUM_OF
--> postgres, sqlite, mysql, duckdb
-->   output: sum_of = orders.total
--> clickhouse
-->   problem: no column SUM_OF in orders at `SUM_OF`
-->   output: Sum_Of = orders.total
--§ USING compares names as everything else does.
SELECT status FROM orders JOIN customers USING (CUSTOMER_ID)
--> postgres, sqlite, duckdb
-->   output: status = orders.status
--> clickhouse
-->   problem: no column CUSTOMER_ID in orders, customers at `CUSTOMER_ID`
-->   output: status = orders.status
--§ Letters that aren't ASCII are folded by no engine: these are two columns.
SELECT É FROM accents
--> postgres, sqlite, duckdb
-->   output: É = accents.É
--§ The other one.
SELECT é FROM accents
--> postgres, sqlite, duckdb
-->   output: é = accents.é
--§ So are results, though an engine that knew the encoding would find one name.
SELECT É FROM (SELECT name AS é, country AS É FROM customers) q
--> postgres, sqlite, duckdb
-->   output: É = computed from customers.name, customers.country
--§ Names are cut after 63 bytes, and both are the same then.
SELECT nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz FROM (SELECT name AS nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnny, country AS other FROM customers) q
--> postgres
-->   output: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn = customers.name
--§ Elsewhere they are kept.
SELECT nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz FROM (SELECT name AS nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnny, country AS other FROM customers) q
--> sqlite, duckdb, clickhouse
-->   problem: no column nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz in q at `nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz`
-->   output: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz = computed
--§ A letter of two bytes isn't cut through.
SELECT "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnné" FROM (SELECT name AS "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", country AS other FROM customers) q
--> postgres
-->   output: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn = customers.name
--§ What a name without AS becomes is spelt as the column is, or as it is written.
SELECT NAME AS Name, COUNTRY FROM customers
--> postgres, sqlite, duckdb
-->   output: name = customers.name
-->   output: country = customers.country
--§ A quoted word of the grammar is a name.
SELECT "select" FROM (SELECT name AS "select" FROM customers) q
--> postgres, sqlite, duckdb
-->   output: select = customers.name
--§ A quote in a quoted name is doubled.
SELECT q."a""b" FROM (SELECT name AS "a""b" FROM customers) q
--> postgres, sqlite, duckdb
-->   output: a"b = customers.name
--§ So is a backtick.
SELECT q.`a``b` FROM (SELECT name AS `a``b` FROM customers) q
--> sqlite, mysql, clickhouse
-->   output: a`b = customers.name
