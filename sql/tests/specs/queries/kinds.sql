-- shows: statement
--§ Empty statements don't count.
SELECT 1;;-- x
;
--> sqlite
-->   statement: Query, 1 in all
--§ A comment alone is no statement.
-- nothing
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   problem: there is no statement
-->   statement: Unparsed, 0 in all
--§ A semicolon in a text ends nothing, one outside does.
SELECT ';'; DROP TABLE orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   statement: Query, 2 in all
--§ What is explained is read as if it were asked.
EXPLAIN SELECT total FROM orders
--> postgres, sqlite, mysql, duckdb, clickhouse
-->   statement: Explain, 1 in all
--§ With ANALYZE it is run.
EXPLAIN ANALYZE SELECT total FROM orders
--> postgres
-->   effect: ExplainAnalyze
-->   statement: Explain, 1 in all
--§ Also where the word stands among the options.
EXPLAIN (ANALYZE, VERBOSE) SELECT total FROM orders
--> postgres
-->   effect: ExplainAnalyze
-->   statement: Explain, 1 in all
--§ A comment stands in front.
/* a */ drop table orders
--> sqlite
-->   effect: Definition
-->   statement: Definition, 1 in all
--§ What nobody knows is told by its first word.
VACUUM INTO 'x'
--> sqlite
-->   problem: not parsed at `'`
-->   statement: Other("VACUUM"), 1 in all
--§ Rows are locked.
SELECT total FROM orders FOR UPDATE
--> postgres
-->   effect: Lock
-->   statement: Query, 1 in all
--§ A table is made.
SELECT total INTO copied FROM orders
--> postgres
-->   effect: Into
-->   statement: Query, 1 in all
--§ Comments that are run.
SELECT 1 /*!50000 + 1 */
--> mysql
-->   effect: ExecutableComment
-->   effect: ForeignSyntax
-->   statement: Query, 1 in all
--§ A parameter that nobody fills in.
SELECT total FROM orders WHERE total > $1
--> postgres, sqlite
-->   effect: Parameter
-->   statement: Query, 1 in all
--§ A setting for the statement.
SELECT total FROM orders SETTINGS max_threads = 1
--> clickhouse
-->   effect: Setting
-->   statement: Query, 1 in all
--§ A character that can't be seen.
SELECT​ 1
--> sqlite
-->   problem: not parsed at `SELECT`
-->   effect: InvisibleCharacter
-->   statement: Unparsed, 1 in all
--§ A setting is read.
PRAGMA table_info(orders)
--> sqlite
-->   effect: Pragma
-->   statement: Pragma { name: "table_info", argument: Some("orders"), assigned: false }, 1 in all
--§ VALUES are a query.
VALUES (1, 2)
--> postgres, mysql
-->   statement: Query, 1 in all
