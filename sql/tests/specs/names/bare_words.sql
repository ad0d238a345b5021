-- shows: outputs, functions
--§ A word of the engine's own where no column has that name.
SELECT current_date
--> postgres, sqlite, mysql, duckdb
-->   output: current_date = computed
-->   function: current_date()
--§ Where one has: which of the two is taken is the engine's business, and both are told.
SELECT current_date FROM words
--> postgres, sqlite, mysql
-->   problem: the engine's own current_date at `current_date`
-->   output: current_date = words.current_date
-->   function: current_date()
--> duckdb, clickhouse
-->   output: current_date = words.current_date
--§ A qualifier makes it a column.
SELECT w.current_date FROM words w
--> postgres, sqlite, mysql, duckdb
-->   output: current_date = words.current_date
--§ So do quotes.
SELECT "current_date" FROM words
--> postgres, sqlite, duckdb
-->   output: current_date = words.current_date
--§ `user` is the session's in PostgreSQL, a name elsewhere.
SELECT user FROM words
--> postgres
-->   problem: the engine's own user at `user`
-->   output: user = words.user
-->   function: user()
--> sqlite, duckdb
-->   output: user = words.user
--§ `user` without a column of that name.
SELECT user FROM orders
--> postgres
-->   output: user = computed
-->   function: user()
--§ TRUE can be a column in SQLite.
SELECT true FROM words
--> postgres, duckdb
-->   output: (no name) = computed
--> sqlite
-->   output: true = words.true
--§ Numbers that are words.
SELECT inf, nan
--> clickhouse
-->   output: inf = computed
-->   output: nan = computed
--§ A function that is called by such a word stands among the functions.
SELECT session_user, localtimestamp
--> postgres
-->   output: session_user = computed
-->   output: localtimestamp = computed
-->   function: session_user()
-->   function: localtimestamp()
--§ A column of a derived table is as much in sight.
SELECT q.x FROM (SELECT name AS x, country AS "current_time" FROM customers) q WHERE current_time > q.x
--> sqlite
-->   problem: the engine's own current_time at `current_time`
-->   output: x = customers.name
-->   function: current_time()
