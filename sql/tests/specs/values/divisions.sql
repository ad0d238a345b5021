-- shows: divisions
--§ Whole if its columns are.
SELECT amount / order_id FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   division: amount / order_id if payments.order_id, payments.amount are whole
--§ A count is whole.
SELECT count(email) / count(*) FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   division: count(email) / count(*)
--§ A sum is, if what is summed is.
SELECT sum(amount) / 100 FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   division: sum(amount) / 100 if payments.amount are whole
--§ A fraction in it makes it none.
SELECT sum(amount) / 100.0 FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ So does a cast.
SELECT CAST(amount AS DECIMAL(9, 2)) / 100 FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ Cutting is meant where it is said.
SELECT floor(amount / 100) FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ Taking apart by division and remainder is meant.
SELECT amount / 60, amount % 60 FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ Grouping by it is meant.
SELECT amount / 100, count(*) FROM payments GROUP BY amount / 100
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ Through a derived table.
SELECT q.n / 2 FROM (SELECT count(*) AS n FROM payments) q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   division: q.n / 2
--§ An average is a fraction.
SELECT avg(amount) / 100 FROM payments
--> postgres, sqlite, mysql, duckdb, clickhouse
--§ CASE of whole numbers.
SELECT sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / count(*) FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   division: sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / count(*)
--§ In a condition it is compared, not shown.
SELECT 1 FROM payments WHERE amount / 100 > 3
--> postgres, sqlite, mysql, duckdb, clickhouse
