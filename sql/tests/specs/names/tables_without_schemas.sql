-- shows: tables
--§ The schema `main` may stand in front.
SELECT order_id FROM main.orders
--> sqlite, duckdb
-->   table: main.orders = orders
--§ `public` may.
SELECT order_id FROM public.orders
--> postgres
-->   table: public.orders = orders
--§ Another schema may not.
SELECT order_id FROM nowhere.orders
--> postgres, sqlite, duckdb
-->   problem: no table nowhere.orders at `nowhere.orders`
-->   table: nowhere.orders = unknown
--§ A misspelt table is said to be none, and its columns are asked no more.
SELECT order_id, nothing FROM oders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no table oders at `oders`
-->   table: oders = unknown
--§ A view is a table to whom reads it.
SELECT total FROM paid_orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   table: paid_orders = paid_orders
--§ A table that is joined with itself is there twice.
SELECT b.name FROM employees a JOIN employees b ON a.manager_id = b.employee_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   table: employees as a = employees
-->   table: employees as b = employees
--§ DUAL is one row of nothing.
SELECT 1 FROM dual
--> mysql
--§ Elsewhere nobody has made it.
SELECT 1 FROM dual
--> postgres, sqlite
-->   problem: no table dual at `dual`
-->   table: dual = unknown
--§ A text in the place of a table is a file.
SELECT * FROM 'x.csv'
--> duckdb
-->   effect: ExternalData
--§ To others it is nothing that we know.
SELECT * FROM 'x.csv'
--> postgres, mysql, clickhouse
-->   effect: ForeignSyntax
