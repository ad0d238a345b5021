//! What the configuration closes after `index`, and what comes after it under a name that is closed.

use testkit::load::{PostgresServer, load};

use crate::project::Project;

/// A fact is told of no table once one of the columns that it was found by may not be shown: the times of a copy, what was
/// compared, a level, the reference over which a unit was found.
#[test]
fn a_fact_goes_with_each_column_that_it_was_found_by() {
    const ROWS: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) ";
    let project = Project::over(&format!(
        "CREATE TABLE calls (id INTEGER PRIMARY KEY, rung_on TEXT, points INTEGER);
         INSERT INTO calls {ROWS} SELECT i, date('2022-01-01', i || ' days'), i * 37 % 101 FROM n;
         CREATE TABLE calls_b (id INTEGER PRIMARY KEY, rung_on TEXT, points INTEGER);
         INSERT INTO calls_b SELECT * FROM calls WHERE id <= 200;
         CREATE TABLE stock (item_id INTEGER, day TEXT, on_hand INTEGER);
         INSERT INTO stock {ROWS} SELECT i % 20, date('2023-01-01', (i / 20) || ' days'), 5 + i % 20 * 9 + i / 20 % 3 FROM n;
         CREATE TABLE carts (id INTEGER PRIMARY KEY, total_ct INTEGER);
         INSERT INTO carts {ROWS} SELECT i, (i * 37 % 400 + 50) * 100 FROM n;
         CREATE TABLE fees (id INTEGER PRIMARY KEY, cart_id INTEGER REFERENCES carts (id), price REAL);
         INSERT INTO fees {ROWS} SELECT i + 7000, i, (i * 37 % 400 + 50) * 1.0 FROM n;"
    ));
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    let told = |table: &str| project.run(&["describe", table]).stdout;
    for (table, fact, closing) in [
        (
            "calls_b",
            "of its rows are in calls",
            &["calls_b.rung_on", "calls.rung_on", "calls_b.points", "calls.points"][..],
        ),
        ("stock", "one row for each", &["stock.on_hand", "stock.day"]),
        ("fees", "carts.total_ct", &["fees.cart_id", "carts.id", "carts.total_ct"]),
    ] {
        project.write("periplus.toml", &config);
        assert!(told(table).contains(fact), "{table}: {}", told(table));
        for column in closing {
            for key in ["[guard]\ndeny_columns", "[profile]\nsensitive"] {
                project.write("periplus.toml", &format!("{config}{key} = [\"{column}\"]\n"));
                assert!(!told(table).contains(fact), "{column} by {key}: {}", told(table));
            }
        }
    }
}

/// How many rows have a value of a denied column is told nowhere.
#[test]
fn how_often_a_denied_column_is_empty_is_not_told() {
    let project = Project::over(
        "CREATE TABLE visits (id INTEGER PRIMARY KEY, ended_on TEXT);
         INSERT INTO visits VALUES (1, NULL), (2, NULL), (3, '2024-05-01'), (4, NULL);",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    let share = || project.json(&["describe", "visits"]).1["columns"][1]["null_fraction"].clone();
    assert_eq!(share(), 0.75);
    project.write("periplus.toml", &format!("{config}[guard]\ndeny_columns = [\"visits.ended_on\"]\n"));
    assert!(share().is_null(), "{}", share());
}

/// Partitions are made every month, and the configuration may have named them long before.
#[test]
fn a_part_that_comes_later_is_closed_by_its_name() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("later.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch("CREATE TABLE t (x INTEGER);").unwrap();
    let mut loaded = load(Box::new(PostgresServer::at(&url)), &file);
    for statement in [
        "CREATE TABLE dues (id int, year int, amount int) PARTITION BY LIST (year)",
        "CREATE TABLE dues_2024 PARTITION OF dues FOR VALUES IN (2024)",
        "INSERT INTO dues VALUES (1, 2024, 10)",
    ] {
        loaded.execute(statement);
    }
    let run = |settings: &str, loaded: &mut testkit::load::Loaded, later: &str| {
        let project = Project::new();
        let source = format!("[[sources]]\nid = \"data\"\ndsn = \"{}\"\n[model]\nprovider = \"none\"\n", loaded.dsn());
        project.write("periplus.toml", &format!("{source}{settings}"));
        assert_eq!(project.run(&["index"]).code, 0);
        loaded.execute(later);
        project.run(&["query", "SELECT amount FROM dues ORDER BY id"])
    };
    let made = |name: &str, year: i32| format!("CREATE TABLE {name} PARTITION OF dues FOR VALUES IN ({year})");
    let open = run("", &mut loaded, &made("dues_2025", 2025));
    assert!(open.code == 0 && open.stdout.contains("10"), "{}{}", open.stdout, open.stderr);
    for (settings, name, year) in [
        ("[guard]\ndeny_tables = [\"dues_2026\"]\n", "dues_2026", 2026),
        ("[guard]\ndeny_columns = [\"dues_2027.amount\"]\n", "dues_2027", 2027),
        ("[profile]\nsensitive = [\"dues_2028.amount\"]\n", "dues_2028", 2028),
    ] {
        let closed = run(settings, &mut loaded, &made(name, year));
        assert_eq!(closed.code, 1, "{settings}{}", closed.stdout);
        assert!(
            closed.stdout.contains("table_changed") || closed.stderr.contains("table_changed"),
            "{}",
            closed.stderr
        );
    }
}
