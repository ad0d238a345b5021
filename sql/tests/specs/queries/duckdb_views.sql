-- shows: outputs
--§ Queries of views as DuckDB keeps them, in its own words: counted rows.
SELECT count_star() AS n FROM orders
--> duckdb
-->   output: n = aggregated
--§ LIKE as an operator.
SELECT order_id FROM orders WHERE ((status ~~ 'p%') AND (details ~~* 'w%') AND (status !~~ 'q'))
--> duckdb
-->   output: order_id = orders.order_id
--§ CASE with two blanks, and brackets around everything.
SELECT CASE  WHEN ((order_id > 10)) THEN ('big') ELSE 'small' END AS b, COALESCE(status, 'x') AS c2, (status || 'x') AS s FROM orders
--> duckdb
-->   output: b = computed from orders.order_id
-->   output: c2 = computed from orders.status
-->   output: s = computed from orders.status
--§ Windows.
SELECT order_id, row_number() OVER (PARTITION BY status ORDER BY order_id) AS r, sum(total) OVER () AS t FROM orders
--> duckdb
-->   output: order_id = orders.order_id
-->   output: r = computed
-->   output: t = computed from orders.total
--§ Set operations in brackets.
WITH q AS (SELECT * FROM payments WHERE (order_id BETWEEN 1 AND 5)) (SELECT * FROM q) UNION ALL (SELECT * FROM payments WHERE (order_id IN (1, 2)))
--> duckdb
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: amount = payments.amount
--§ Intervals and casts.
SELECT CAST(ordered_on AS date) AS d, (ordered_on + to_days(CAST(trunc(CAST(1 AS DOUBLE)) AS INTEGER))) AS e, (CAST(total AS DECIMAL(10, 2)) / 100) AS p FROM orders
--> duckdb
-->   output: d = computed from orders.ordered_on
-->   output: e = computed from orders.ordered_on
-->   output: p = computed from orders.total
--§ Filters, and GROUP BY ALL.
SELECT status, string_agg(details, ',') AS s, sum(total) FILTER (WHERE (order_id > 3)) AS f FROM orders GROUP BY ALL HAVING (count_star() > 1)
--> duckdb
-->   output: status = orders.status
-->   output: s = aggregated from orders.details
-->   output: f = aggregated from orders.order_id, orders.total
--§ Subqueries as ANY.
SELECT o.* FROM payments AS o WHERE (EXISTS(SELECT 1 FROM orders AS c WHERE (c.order_id = o.order_id)) AND (NOT (o.order_id = ANY(SELECT order_id FROM order_lines))))
--> duckdb
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: amount = payments.amount
--§ Lists, structs, differences of times.
SELECT list_value(1, 2, order_id) AS l, struct_pack(a := order_id) AS st, (ordered_on - CAST('2020-01-01' AS TIMESTAMP)) AS iv FROM orders
--> duckdb
-->   output: l = computed from orders.order_id
-->   output: st = computed from orders.order_id
-->   output: iv = computed from orders.ordered_on
--§ EXCLUDE.
SELECT * EXCLUDE (amount) FROM payments ORDER BY payment_id LIMIT 5
--> duckdb
-->   output: payment_id = payments.payment_id
-->   output: order_id = payments.order_id
-->   output: in an order that only the engine knows
--§ Whole-number division, and signs in brackets.
SELECT (details IS NULL) AS n, (NOT (order_id = 3)) AS k, (-(order_id)) AS m, (order_id // 2) AS dv FROM orders WHERE ((details != 'x') OR (order_id >= 3))
--> duckdb
-->   output: n = computed
-->   output: k = computed from orders.order_id
-->   output: m = computed from orders.order_id
-->   output: dv = computed from orders.order_id
--§ Quoted names of functions.
SELECT "left"(status, 2) AS l, "replace"(status, 'a', 'b') AS r, "nullif"(customer_id, 2) AS z FROM (orders LEFT JOIN payments USING (order_id))
--> duckdb
-->   output: l = computed from orders.status
-->   output: r = computed from orders.status
-->   output: z = computed from orders.customer_id
--§ DISTINCT ON.
SELECT DISTINCT ON (status) status, order_id FROM orders
--> duckdb
-->   output: status = orders.status
-->   output: order_id = orders.order_id
--§ QUALIFY.
SELECT order_id FROM orders QUALIFY (row_number() OVER (ORDER BY order_id) = 1)
--> duckdb
-->   output: order_id = orders.order_id
