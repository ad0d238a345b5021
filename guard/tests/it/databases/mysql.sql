CREATE TABLE events (event_id bigint AUTO_INCREMENT PRIMARY KEY, what text NOT NULL)
--§
INSERT INTO events (what) VALUES ('opened')
--§
CREATE TABLE plain_events (event_id bigint AUTO_INCREMENT PRIMARY KEY, what text NOT NULL) ENGINE = MyISAM
--§
INSERT INTO plain_events (what) VALUES ('opened')
--§
CREATE SEQUENCE counter_seq
--§
CREATE FUNCTION record_event(said text) RETURNS bigint MODIFIES SQL DATA
BEGIN
  INSERT INTO events (what) VALUES (said);
  RETURN LAST_INSERT_ID();
END
--§
CREATE FUNCTION record_plain_event(said text) RETURNS bigint MODIFIES SQL DATA
BEGIN
  INSERT INTO plain_events (what) VALUES (said);
  RETURN LAST_INSERT_ID();
END
--§
CREATE FUNCTION configure_session() RETURNS bigint
BEGIN
  SET SESSION sql_mode = 'ANSI_QUOTES', SESSION max_statement_time = 0, @left_behind = 1;
  RETURN 1;
END
--§
CREATE TRIGGER order_is_recorded AFTER UPDATE ON orders FOR EACH ROW INSERT INTO events (what) VALUES (NEW.status)
--§
CREATE VIEW recording_orders AS SELECT order_id, record_event(status) AS number FROM orders
--§
CREATE VIEW plainly_recording_orders AS SELECT order_id, record_plain_event(status) AS number FROM orders
--§
CREATE VIEW counting_orders AS SELECT order_id, NEXTVAL(counter_seq) AS number FROM orders
--§
CREATE VIEW configuring_orders AS SELECT order_id, configure_session() AS number FROM orders
--§
CREATE VIEW locking_orders AS SELECT order_id, GET_LOCK(CONCAT(DATABASE(), order_id), 0) AS got FROM orders
