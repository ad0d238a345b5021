-- shows: aggregates
--§ Rows of the relation that is summed stand once.
SELECT sum(o.total) FROM orders o JOIN customers c ON c.customer_id = o.customer_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds customer_id
--§ Lines repeat the order that they are of.
SELECT sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by l by order_id, holds order_id
--§ What the lines hold stands once.
SELECT sum(l.quantity) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of order_lines.quantity, holds order_id
--§ Two branches multiply each other.
SELECT sum(p.amount) FROM orders o JOIN order_lines l ON l.order_id = o.order_id JOIN payments p ON p.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of payments.amount, repeated by l by order_id, holds order_id
--§ Even rows can't be counted then.
SELECT count(*) FROM orders o JOIN order_lines l ON l.order_id = o.order_id JOIN payments p ON p.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: count of rows, repeated by l by order_id, repeated by p by order_id
--§ Different values can.
SELECT count(DISTINCT o.order_id) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: count distinct of orders.order_id, repeated by l by order_id, holds order_id
--§ A whole key of what is joined leaves one row.
SELECT sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id AND l.line = 1
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ Also where the rest of it is a condition.
SELECT sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id WHERE l.line = 1
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ Grouped by the key of what repeats.
SELECT l.line, sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY l.line
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ One row for each group of the relation that is summed.
SELECT o.order_id, sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by l by order_id, one for each group, holds order_id, order_id
--§ A join that only asks whether there is none repeats nothing.
SELECT sum(o.total) FROM orders o LEFT JOIN payments p ON p.order_id = o.order_id WHERE p.order_id IS NULL
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ Nor does one that only asks whether there is one.
SELECT sum(o.total) FROM orders o SEMI JOIN payments p ON p.order_id = o.order_id
--> duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ Joined to what has one row for each key.
SELECT sum(o.total) FROM orders o JOIN (SELECT order_id, sum(amount) AS paid FROM payments GROUP BY order_id) q ON q.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of payments.amount, holds order_id
-->   aggregate: sum of orders.total, holds order_id
--§ Joined to what has several.
SELECT sum(o.total) FROM orders o JOIN (SELECT order_id, line FROM order_lines) q ON q.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by q by order_id, holds order_id
--§ DISTINCT makes a key of all that it selects.
SELECT sum(o.total) FROM orders o JOIN (SELECT DISTINCT order_id FROM payments) q ON q.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds order_id
--§ The first row of each: a number for each key.
SELECT sum(o.total) FROM orders o JOIN (SELECT order_id, row_number() OVER (PARTITION BY order_id ORDER BY payment_id) AS place FROM payments) q ON q.order_id = o.order_id AND q.place = 1
--> postgres, sqlite, mysql, duckdb
-->   aggregate: sum of orders.total, holds order_id
--§ DISTINCT ON makes a key.
SELECT sum(o.total) FROM orders o JOIN (SELECT DISTINCT ON (order_id) order_id, amount FROM payments) q ON q.order_id = o.order_id
--> postgres, duckdb
-->   aggregate: sum of orders.total, holds order_id
--§ What a derived table has repeated stays so.
SELECT sum(q.total) FROM (SELECT o.order_id, o.total FROM orders o JOIN order_lines l ON l.order_id = o.order_id) q
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by l by order_id
--§ One row beside all others.
SELECT sum(o.total) FROM orders o, (SELECT max(amount) AS most FROM payments) m
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: max of payments.amount
-->   aggregate: sum of orders.total
--§ Rows that are made of a value repeat it.
SELECT sum(o.total) FROM orders o, unnest(string_to_array(o.details, ',')) AS u(word)
--> postgres
-->   aggregate: sum of orders.total, repeated by u
--§ USING joins as ON does.
SELECT sum(total) FROM orders JOIN order_lines USING (order_id)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by order_lines by order_id, holds order_id
--§ Sums over a window are repeated, too.
SELECT sum(o.total) OVER () FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, repeated by l by order_id, holds order_id
--§ An aggregate over columns of two relations is over the finer one.
SELECT sum(o.total * l.quantity) FROM orders o JOIN order_lines l ON l.order_id = o.order_id
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum over o, l
--§ A column that equals one constant is held.
SELECT sum(total) FROM orders WHERE status = 'paid' AND customer_id IN (7)
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total, holds status, customer_id
--§ Held by one of several it isn't.
SELECT sum(total) FROM orders WHERE status IN ('paid', 'sent')
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   aggregate: sum of orders.total
