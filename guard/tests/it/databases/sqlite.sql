CREATE TABLE events (event_id INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL)
--§
INSERT INTO events (what) VALUES ('opened')
--§
CREATE TRIGGER order_is_recorded AFTER UPDATE ON orders BEGIN INSERT INTO events (what) VALUES (new.status); END
--§
CREATE VIEW recording_orders AS SELECT order_id, status FROM orders
--§
CREATE TRIGGER view_writes INSTEAD OF DELETE ON recording_orders BEGIN DELETE FROM orders WHERE order_id = old.order_id; END
--§
CREATE VIRTUAL TABLE notes USING fts5(body)
--§
INSERT INTO notes (body) VALUES ('a first note'), ('a second one')
