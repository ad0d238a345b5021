-- shows: rows
--§ A number of rows.
SELECT total FROM orders LIMIT 5
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: at most 5
--§ An offset limits nothing.
SELECT total FROM orders LIMIT 5 OFFSET 100
--> postgres, sqlite, mysql, duckdb
-->   rows: at most 5
--§ An offset alone.
SELECT total FROM orders OFFSET 100
--> postgres, duckdb
--§ A limit of -1 is none.
SELECT total FROM orders LIMIT -1
--> sqlite
--§ The offset stands first here.
SELECT total FROM orders LIMIT 100, 5
--> sqlite, mysql, clickhouse
-->   rows: at most 5
--§ FETCH is a limit.
SELECT total FROM orders ORDER BY total FETCH FIRST 3 ROWS ONLY
--> postgres
-->   rows: at most 3
-->   rows: ordered
--§ Of one row, where it says no number.
SELECT total FROM orders FETCH FIRST ROW ONLY
--> postgres
-->   rows: at most 1
--§ A limit that is computed is one of an unknown number.
SELECT total FROM orders LIMIT (SELECT 3)
--> postgres, duckdb
-->   rows: limited
--§ A limit inside is none outside.
SELECT q.total FROM (SELECT total FROM orders LIMIT 5) q
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ One row of all.
SELECT max(total) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ One row for each group.
SELECT status FROM orders GROUP BY status
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ A window makes no groups.
SELECT sum(total) OVER (PARTITION BY status) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ An aggregate in a subquery makes none outside.
SELECT name FROM customers WHERE customer_id = (SELECT max(customer_id) FROM orders)
--> postgres, sqlite, mysql, duckdb, clickhouse
