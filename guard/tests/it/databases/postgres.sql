CREATE TABLE events (event_id bigserial PRIMARY KEY, what text NOT NULL)
--§
INSERT INTO events (what) VALUES ('opened')
--§
CREATE SEQUENCE counter_seq
--§
CREATE FUNCTION record_event(said text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE made bigint;
BEGIN
  INSERT INTO events (what) VALUES (said) RETURNING event_id INTO made;
  RETURN made;
END $$
--§
CREATE FUNCTION order_is_recorded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_event('changed');
  RETURN NEW;
END $$
--§
CREATE TRIGGER order_is_recorded AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION order_is_recorded()
--§
CREATE VIEW recording_orders AS SELECT order_id, record_event(status) AS number FROM orders
--§
CREATE VIEW counting_orders AS SELECT order_id, nextval('counter_seq') AS number FROM orders
--§
CREATE VIEW configuring_orders AS
SELECT order_id, set_config('search_path', 'nowhere', false) AS path,
       set_config('default_transaction_read_only', 'off', false) AS mode FROM orders
--§
CREATE VIEW locking_orders AS SELECT order_id, pg_try_advisory_lock(order_id) AS got FROM orders
--§
CREATE VIEW storing_orders AS SELECT order_id, lo_from_bytea(0, 'x') AS number FROM orders
--§
CREATE VIEW notifying_orders AS SELECT order_id, pg_notify('intruder', 'x')::text AS said FROM orders
--§
CREATE FUNCTION lower(number bigint) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT record_event('lower')::text $$
--§
CREATE FUNCTION join_numbers(a bigint, b bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT record_event('joined') $$
--§
CREATE OPERATOR || (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = join_numbers)
--§
CREATE AGGREGATE any_value (bigint) (SFUNC = join_numbers, STYPE = bigint)
--§
CREATE TYPE loud AS (word text)
--§
CREATE FUNCTION to_loud(number bigint) RETURNS loud LANGUAGE sql VOLATILE AS $$ SELECT ROW(record_event('cast')::text)::loud $$
--§
CREATE CAST (bigint AS loud) WITH FUNCTION to_loud(bigint)
--§
CREATE DOMAIN recorded AS bigint CHECK (record_event(VALUE::text) > 0)
--§
CREATE FUNCTION wipe(one orders) RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT record_event('wiped') $$
--§
CREATE SEQUENCE s
--§
CREATE SCHEMA evil
--§
CREATE FUNCTION evil.lower(said text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT record_event(said)::text $$
--§
-- Ways out of the transaction, where the server has them.
DO $$ BEGIN CREATE EXTENSION dblink; EXCEPTION WHEN OTHERS THEN NULL; END $$
--§
SELECT lo_from_bytea(4242, 'kept')
