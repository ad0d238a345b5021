-- shows: ungrouped, rows
--§ A column of which a group can hold several values.
SELECT status, max(total) FROM orders GROUP BY customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: status
-->   rows: aggregated
--§ Without GROUP BY, all rows are one group.
SELECT status, max(total) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: status
-->   rows: aggregated
--§ Grouped by its key, a row has one value of everything, though DuckDB and ClickHouse look at no keys and refuse it.
SELECT status, count(*) FROM orders GROUP BY order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ By half of a key not.
SELECT sku, count(*) FROM order_lines GROUP BY order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: sku
-->   rows: aggregated
--§ By all of it.
SELECT sku, count(*) FROM order_lines GROUP BY line, order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ Of one relation by the key of another.
SELECT p.amount, count(*) FROM orders o JOIN payments p ON o.order_id = p.order_id GROUP BY o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: p.amount
-->   rows: aggregated
--§ By its place in the select list.
SELECT status, count(*) FROM orders GROUP BY 1
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ By the name that the select list gives it.
SELECT status AS s, count(*) FROM orders GROUP BY s
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ By an expression, of which the column is a part.
SELECT status, count(*) FROM orders GROUP BY lower(status)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: status
-->   rows: aggregated
--§ A window is no aggregate.
SELECT status, count(*) OVER () FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ A key that a condition holds leaves one row, though most engines refuse the form.
SELECT status, count(*) FROM orders WHERE order_id = 3
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ A subquery's aggregate is the subquery's.
SELECT status, (SELECT max(amount) FROM payments) FROM orders
--> postgres, sqlite, mysql, duckdb
-->   rows: aggregated
--§ GROUPING SETS leave out what they don't name.
SELECT status, customer_id, count(*) FROM orders GROUP BY GROUPING SETS ((status), (customer_id))
--> postgres, duckdb
-->   rows: aggregated
--§ GROUP BY ALL takes every column.
SELECT status, customer_id, count(*) FROM orders GROUP BY ALL
--> duckdb, clickhouse
-->   rows: aggregated
--§ A merged column that is grouped by.
SELECT order_id, count(*) FROM orders JOIN payments USING (order_id) GROUP BY order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   rows: aggregated
--§ Less usual aggregates make groups, too.
SELECT status, variance(total) FROM orders
--> postgres, mysql
-->   ungrouped: status
-->   rows: aggregated
--§ And those with an order of their own.
SELECT status, percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders
--> postgres
-->   ungrouped: status
-->   rows: aggregated
--§ MIN of two arguments is no aggregate.
SELECT status, min(order_id, customer_id) FROM orders
--> sqlite
--§ Behind a derived table, too.
SELECT s, count(*) FROM (SELECT status AS s, total AS t FROM orders) q GROUP BY t
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   ungrouped: s
-->   rows: aggregated
