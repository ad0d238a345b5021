-- shows: outputs
--§ The place of a name is told by bytes, behind letters of several.
SELECT é.nope FROM customers AS é
--> postgres, sqlite, mysql, duckdb
-->   problem: no column é.nope in é at `nope`
-->   output: nope = computed
--§ Over several lines, brackets included.
SELECT name FROM customers
WHERE
  [nope] = 1
--> sqlite
-->   problem: no column nope in customers at `[nope]`
-->   output: name = customers.name
--§ Under ORDER BY.
SELECT name FROM customers ORDER BY nope
--> postgres, mysql, duckdb, clickhouse
-->   problem: no column nope in customers at `nope`
-->   output: name = customers.name
--§ In an aggregate.
SELECT max(nope) AS m FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column nope in customers at `nope`
-->   output: m = aggregated
--§ In every clause once.
SELECT a AS x FROM customers WHERE b = 1 GROUP BY c HAVING d = 1 ORDER BY e
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column a in customers at `a`
-->   problem: no column b in customers at `b`
-->   problem: no column c in customers at `c`
-->   problem: no column d in customers at `d`
-->   problem: no column e in customers at `e`
-->   output: x = computed
--§ In a window.
SELECT sum(customer_id) OVER (PARTITION BY nope) AS s FROM customers
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: no column nope in customers at `nope`
-->   output: s = computed from customers.customer_id
