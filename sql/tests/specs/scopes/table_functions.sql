-- shows: outputs, open
--§ A function in FROM sees what stands before it.
SELECT j.value FROM orders, json_each(orders.details) j
--> sqlite
-->   output: value = computed from orders.details
--§ Its hidden columns are known, others are not there.
SELECT j.valeu FROM orders, json_each(orders.details) j
--> sqlite
-->   problem: no column j.valeu in j at `valeu`
-->   output: valeu = computed
--§ A series of numbers: the alias is the column.
SELECT g FROM generate_series(1, 3) g
--> postgres, duckdb
-->   output: g = computed
--§ A list of columns names it.
SELECT g.n FROM generate_series(1, 3) AS g(n)
--> postgres, duckdb
-->   output: n = computed
--§ With ordinality it has one more.
SELECT u.a, u.b FROM unnest(ARRAY[4, 5]) WITH ORDINALITY AS u(a, b)
--> postgres
-->   output: a = computed
-->   output: b = computed
--§ UNNEST is made from its argument.
SELECT u.word FROM orders o, unnest(string_to_array(o.details, ',')) AS u(word)
--> postgres
-->   output: word = computed from orders.details
--§ ARRAY JOIN is made from a column before it.
SELECT word FROM orders ARRAY JOIN splitByChar(',', assumeNotNull(details)) AS word
--> clickhouse
-->   output: word = computed from orders.details
--§ Numbers.
SELECT number FROM numbers(3)
--> clickhouse
-->   output: number = computed
--§ A function whose columns nobody knows may have any.
SELECT f.x FROM jsonb_to_record('{}') AS f(x int)
--> postgres
-->   output: x = computed
--§ JSON_TABLE has the columns that it lists.
SELECT j.a FROM orders, JSON_TABLE(details, '$[*]' COLUMNS (a INT PATH '$.a')) j
--> mysql
-->   output: a = computed from orders.details
