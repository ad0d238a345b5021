-- expect: deny(explain_analyze)
-- dialect: postgres
EXPLAIN ANALYZE SELECT * FROM orders
--§
EXPLAIN (ANALYZE) SELECT * FROM orders
--§
EXPLAIN (ANALYZE, VERBOSE) SELECT 1
--§
EXPLAIN (FORMAT JSON, ANALYZE TRUE) SELECT 1
