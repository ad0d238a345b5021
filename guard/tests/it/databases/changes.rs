//! Whatever is changed on purpose is seen as a difference: a state that shows nothing would prove nothing.

use super::{Database, Engine, MARIADB, POSTGRES, SQLITE, differences};

/// Statements that each change something, with a word of what has to be named as different.
fn each_is_seen(engine: &'static Engine, changes: &[(&str, &str)]) {
    let Some(mut database) = Database::of(engine) else { return };
    let mut before = database.state();
    assert_eq!(differences(&before, &database.state()), Vec::<String>::new());
    for (change, named) in changes {
        let folder = database.outside().display().to_string();
        let change = change.replace("{folder}", &folder);
        match &mut database.loaded {
            Some(loaded) => loaded.execute(&change),
            None => database.fixture.execute(std::iter::once(change.as_str())),
        }
        let after = database.state();
        let found = differences(&before, &after);
        assert!(found.iter().any(|difference| difference.contains(named)), "{change}: {found:?}");
        before = after;
    }
    std::fs::write(database.outside().join("left"), "behind").unwrap();
    assert!(differences(&before, &database.state())[0].contains("left"));
}

#[test]
fn changes_of_a_sqlite_file_are_seen() {
    let changes = [
        ("INSERT INTO events (what) VALUES ('x')", "file"),
        ("PRAGMA user_version = 3", "file"),
        ("VACUUM INTO '{folder}/copy.db'", "copy.db"),
    ];
    each_is_seen(&SQLITE, &changes);
}

#[test]
fn changes_in_postgres_are_seen() {
    let changes = [
        ("INSERT INTO events (what) VALUES ('x')", "rows of events"),
        ("UPDATE orders SET total = total WHERE order_id = 10", "rows of orders"),
        ("SELECT nextval('counter_seq')", "place of counter_seq"),
        ("TRUNCATE orders_old", "relation public.orders_old"),
        ("CREATE TABLE intruder AS SELECT 1", "relation public.intruder"),
        ("CREATE TEMP TABLE intruder AS SELECT 1", "relation pg_temp"),
        ("ALTER TABLE orders ALTER total SET DEFAULT 1", "catalog pg_attrdef"),
        ("GRANT SELECT ON orders TO PUBLIC", "relation public.orders"),
        ("COMMENT ON TABLE orders IS 'x'", "catalog pg_description"),
        ("CREATE FUNCTION intruder() RETURNS int LANGUAGE sql AS 'SELECT 1'", "catalog pg_proc"),
        ("CREATE OR REPLACE VIEW paid_orders AS SELECT order_id, customer_id, total FROM orders", "catalog pg_rewrite"),
        ("SELECT lo_from_bytea(0, 'x')", "catalog pg_largeobject"),
        ("SELECT pg_advisory_lock(7)", "advisory locks"),
        ("COPY (SELECT 1) TO '{folder}/copied'", "copied"),
        (
            "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET work_mem = 99'; END $$",
            "setting work_mem",
        ),
    ];
    each_is_seen(&POSTGRES, &changes);
}

#[test]
fn changes_in_mariadb_are_seen() {
    let changes = [
        ("INSERT INTO events (what) VALUES ('x')", "rows of `events`"),
        ("UPDATE orders SET total = total + 1 WHERE order_id = 10", ".orders"),
        ("INSERT INTO plain_events (what) VALUES ('x')", "rows of `plain_events`"),
        ("ALTER TABLE events AUTO_INCREMENT = 500", "table events"),
        ("DO SETVAL(counter_seq, 70)", "place of `counter_seq`"),
        ("CREATE TABLE intruder (a int)", "table intruder"),
        ("CREATE TRIGGER intruder BEFORE INSERT ON orders FOR EACH ROW SET NEW.total = 0", "trigger intruder"),
        ("CREATE FUNCTION intruder() RETURNS int RETURN 1", "routine intruder"),
        ("CREATE EVENT intruder ON SCHEDULE EVERY 1 DAY DO SELECT 1", "event intruder"),
        ("ALTER TABLE orders ALTER total SET DEFAULT 1", "column orders.total"),
        ("DO GET_LOCK(DATABASE(), 0)", "lock 10"),
    ];
    each_is_seen(&MARIADB, &changes);
}
