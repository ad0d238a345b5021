-- shows: outputs, recursions
--§ Nothing ends it.
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r
--> postgres, mysql, duckdb
-->   output: n = computed
-->   recursion: r ends by nothing
--§ A condition ends it.
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   output: n = computed
-->   recursion: r ends by a condition 9
--§ A limit inside does.
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 7) SELECT n FROM r
--> sqlite
-->   output: n = computed
-->   recursion: r ends by a limit 7
--§ So do the rows that it walks.
WITH RECURSIVE r(n) AS (SELECT employee_id FROM employees UNION SELECT e.employee_id FROM employees e JOIN r ON e.manager_id = r.n) SELECT n FROM r
--> postgres, sqlite, mysql, duckdb
-->   output: n = employees.employee_id
-->   recursion: r ends by the rows it walks
--§ SQLite needs no RECURSIVE.
WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r
--> sqlite
-->   output: n = computed
-->   recursion: r ends by a condition 3
--§ Others do: there it is a table that nobody has.
WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r
--> postgres, mysql, duckdb
-->   problem: no table r at `r`
-->   output: n = computed
--§ Its columns are made from both parts.
WITH RECURSIVE r(n, k) AS (SELECT name, 0 FROM employees UNION ALL SELECT country, k + 1 FROM r, customers WHERE k < 3) SELECT n FROM r
--> postgres, sqlite, mysql, duckdb
-->   output: n = computed from employees.name, customers.country
-->   recursion: r ends by the rows it walks
--§ A value can wander from column to column.
WITH RECURSIVE r(a, b) AS (SELECT name, country FROM customers UNION ALL SELECT b, a FROM r WHERE a < b) SELECT a FROM r
--> postgres, sqlite, mysql, duckdb
-->   output: a = computed from customers.name, customers.country
-->   recursion: r ends by a condition
--§ A condition of no name ends nothing.
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE 1 < 2) SELECT n FROM r
--> postgres, sqlite, duckdb
-->   output: n = computed
-->   recursion: r ends by nothing
