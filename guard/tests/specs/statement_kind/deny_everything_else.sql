-- expect: deny(not_a_query)
INSERT INTO orders DEFAULT VALUES
--§
INSERT OR REPLACE INTO orders (order_id) VALUES (1)
--§
REPLACE INTO orders SELECT * FROM orders
--§
UPDATE orders SET total = 0 RETURNING *
--§
DELETE FROM orders WHERE 1 = 1 RETURNING order_id
--§
CREATE TABLE t (a)
--§
CREATE TEMP TABLE t AS SELECT 1
--§
CREATE VIRTUAL TABLE t USING fts5(a)
--§
CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END
--§
CREATE INDEX i ON orders (total)
--§
DROP VIEW paid_orders
--§
ALTER TABLE orders RENAME TO o2
--§
VACUUM
--§
VACUUM main INTO '/tmp/copy.db'
--§
REINDEX
--§
ANALYZE
--§
ATTACH DATABASE ':memory:' AS m
--§
DETACH DATABASE main
--§
BEGIN IMMEDIATE
--§
COMMIT
--§
ROLLBACK
--§
SAVEPOINT s
--§
RELEASE s
--§
PRAGMA user_version = 3
--§
PRAGMA journal_mode = DELETE
--§
PRAGMA wal_checkpoint
--§
PRAGMA foreign_keys(0)
--§
PRAGMA optimize
--§
PRAGMA temp_store_directory = '/tmp'
--§
PRAGMA table_info = orders
--§
PRAGMA database_list
