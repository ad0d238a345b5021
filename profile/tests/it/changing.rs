//! What has changed is looked at again, together with all that it may have to do with, and nothing else is.

use catalog::{Catalog, Store};
use jiff::{SignedDuration, Timestamp};
use profile::Options;

use crate::watched::{Made, options, run, store};

const WORLD: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
    CREATE TABLE products (id INTEGER PRIMARY KEY, price_cents INTEGER, title TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, product_id INTEGER, price REAL, whose TEXT, told_by TEXT);
    CREATE TABLE parcels (id INTEGER PRIMARY KEY, order_id INTEGER, customer TEXT, weight REAL);
    CREATE TABLE parcels_old (id INTEGER PRIMARY KEY, order_id INTEGER, customer TEXT, weight REAL);
    CREATE TABLE moods (id INTEGER PRIMARY KEY, employee_id INTEGER, mark INTEGER);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO customers SELECT i + 1000, printf('KD-%04d', i * 7), 'c' || i FROM n;
    INSERT INTO products SELECT id, (id - 900) * 137, 'p' || id FROM customers WHERE id <= 1100;
    INSERT INTO orders SELECT c.id + 5000, c.id, 1001 + c.id % 100, 0, lower(c.code), 'CUS' || c.id FROM customers c;
    UPDATE orders SET price = (SELECT p.price_cents / 100.0 FROM products p WHERE p.id = orders.product_id);
    INSERT INTO parcels SELECT id + 9000, id, whose, id / 7.0 FROM orders;
    INSERT INTO parcels_old SELECT id, order_id, customer, weight FROM parcels WHERE id % 3 = 0;
    INSERT INTO moods SELECT id, 20000 + id % 50, id % 5 FROM customers;";

/// What is known of keys and facts, as lines.
fn known(catalog: &Catalog) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in catalog.entries() {
        let name = &entry.table.id.name;
        for key in &entry.table.foreign_keys {
            lines.push(format!("{name}: {:?} -> {}.{:?}", key.columns, key.ref_table.name, key.ref_columns));
        }
        lines.extend(catalog.found_facts(entry).map(|fact| format!("{name}: {:?}", fact.kind)));
    }
    lines.sort();
    lines
}

fn at(run: i64) -> Options {
    let start: Timestamp = options().now;
    Options { now: start + SignedDuration::from_hours(run), ..options() }
}

/// The columns in which a run looks values up, each once, and what is known after it.
async fn after(made: &Made, store: &Store, number: i64) -> (Vec<String>, Vec<String>) {
    let watched = made.watched();
    run(&watched, store, &at(number)).await;
    let mut looked_up = watched.looked_up.lock().unwrap().clone();
    looked_up.sort();
    looked_up.dedup();
    (looked_up, known(&store.catalog().unwrap()))
}

#[tokio::test]
async fn a_change_costs_what_it_may_have_to_do_with_and_finds_what_a_first_run_does() {
    let (made, going_on) = (Made::with(WORLD), store());
    let (_, first) = after(&made, &going_on, 0).await;
    let has = |lines: &[String], text: &str| lines.iter().any(|line| line.contains(text));
    for expected in
        ["orders: [\"customer_id\"] -> customers", "Scaled", "RefersLike", "RefersAs", "parcels_old: CopyOf"]
    {
        assert!(has(&first, expected), "{expected} in {first:#?}");
    }
    let changes = [
        ("CREATE VIEW heavy AS SELECT id, weight FROM parcels WHERE weight > 700", &[][..]),
        (
            "CREATE TABLE employees (id INTEGER PRIMARY KEY, grade REAL); \
             WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60) \
             INSERT INTO employees SELECT 20000 + i, i / 3.0 FROM n",
            // Whoever told of an order may be one of them.
            &["customers.id", "employees.id"],
        ),
        ("UPDATE moods SET mark = mark + 1", &["employees.id"]),
        ("DROP TABLE employees", &[]),
        ("UPDATE products SET price_cents = price_cents + 500000 WHERE id > 1090", &["products.id"]),
        ("DROP TABLE parcels_old", &[]),
    ];
    for (number, (change, looked_up_in)) in changes.into_iter().enumerate() {
        made.change(change);
        let number = number as i64 + 1;
        let (looked_up, found) = after(&made, &going_on, number).await;
        let (_, anew) = after(&made, &store(), number).await;
        assert_eq!(found, anew, "{change}");
        assert_eq!(looked_up, looked_up_in, "{change}");
    }
}
