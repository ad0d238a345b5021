//! What only the database can tell: values that the profile doesn't list, the cost of a plan, columns newer than the
//! catalog.

use catalog::{Catalog, Dialect, Entry, KnownValues};
use connect::Limits;
use guard::{GuardError, Policy, PolicyConfig, RuleName, Severity, Verdict};

use crate::databases::{Database, POSTGRES};
use crate::fixture::{Fixture, runtime};

fn verified(sql: &str, fixture: &Fixture, catalog: &Catalog, policy: &Policy) -> Verdict {
    runtime().block_on(guard::verify(sql, catalog, fixture.connector().as_ref(), policy)).unwrap()
}

/// The fixture's catalog with changed tables.
fn changed(fixture: &Fixture, change: impl Fn(&mut Entry)) -> Catalog {
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let entries = catalog.tables_of("spec").cloned().map(|mut entry| {
        change(&mut entry);
        entry
    });
    Catalog::new(vec![catalog.source("spec").unwrap().clone()], entries.collect(), Vec::new(), 1)
}

fn rows(entry: &mut Entry, rows: u64) {
    entry.table_mut().row_count = Some(catalog::RowCount { value: rows, exactness: catalog::Exactness::Exact });
}

#[test]
fn a_value_that_the_profile_does_not_list_is_looked_up() {
    let fixture = Fixture::new();
    let catalog = changed(&fixture, |entry| {
        rows(entry, 5);
        entry.change_profile(|profile| {
            for column in &mut profile.columns {
                column.values = KnownValues::Unknown;
                column.pattern = None;
            }
        });
    });
    let found = |sql: &str| {
        let verdict = verified(sql, &fixture, &catalog, &Policy::default());
        assert!(verdict.is_accepted(), "{sql}");
        verdict.findings.into_iter().find(|finding| finding.code == "value_absent").map(|finding| finding.suggestions)
    };
    let near = found("SELECT count(*) FROM order_lines WHERE sku = 'A1'");
    assert_eq!(near.as_deref(), Some(&["A-1".to_owned()][..]));
    assert_eq!(found("SELECT count(*) FROM order_lines WHERE sku = 'A-1'"), None);
    assert_eq!(found("SELECT count(*) FROM order_lines WHERE sku <> 'A1'"), None);
}

#[test]
fn a_plan_with_more_rows_than_allowed_is_refused() {
    let fixture = Fixture::new();
    let catalog = changed(&fixture, |entry| rows(entry, 40_000));
    let config = PolicyConfig { max_estimated_rows: 1_000_000, ..PolicyConfig::default() };
    let policy = Policy::new(config).unwrap();
    let code = |sql: &str| {
        let verdict = verified(sql, &fixture, &catalog, &policy);
        verdict.errors().map(|finding| finding.code).next()
    };
    assert_eq!(code("SELECT count(*) FROM orders a, orders b WHERE a.total < b.total"), Some("too_costly"));
    // By its key the second table is not scanned.
    assert_eq!(code("SELECT count(*) FROM orders o JOIN customers c ON c.customer_id = o.customer_id"), None);
    assert_eq!(code("SELECT count(*) FROM orders"), None);
    // How many rows are expected of a value would tell how often it occurs.
    for (condition, is_told) in [("a.name <> 'Eve'", true), ("a.salary = 9000", false)] {
        let sql =
            format!("SELECT count(*) FROM employees a, orders b, orders c WHERE {condition} AND b.total < c.total");
        let verdict = verified(&sql, &fixture, &catalog, &policy);
        let too_costly = verdict.errors().find(|finding| finding.code == "too_costly");
        let said = too_costly.unwrap_or_else(|| panic!("{:?}", verdict.findings)).message.clone();
        assert_eq!((said.contains("expects about"), said.contains("trillion")), (is_told, is_told), "{said}");
    }
    let open = Policy::new(PolicyConfig { max_estimated_rows: 0, ..PolicyConfig::default() }).unwrap();
    let sql = "SELECT count(*) FROM orders a, orders b WHERE a.total < b.total";
    assert!(verified(sql, &fixture, &catalog, &open).is_accepted());
}

#[test]
fn aggregates_that_would_hold_more_than_allowed_are_refused() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("INSERT INTO employees SELECT g, NULL, 'name ' || g, 1 FROM generate_series(100, 20000) g");
    database.alter("ANALYZE employees");
    let tables = database.runtime.block_on(database.connector.introspect()).unwrap();
    let source = database.catalog.source("spec").unwrap().clone();
    let entries = tables.into_iter().map(catalog::Entry::bare).collect();
    let now = testkit::looked_at(&Catalog::new(vec![source], entries, Vec::new(), 2));
    let before = std::mem::replace(&mut database.catalog, now);
    let deep = (0..80).fold("employees".to_owned(), |from, n| {
        format!("(SELECT *, row_number() OVER (ORDER BY salary) AS n{n} FROM {from}) q{n}")
    });
    let code_of = |database: &Database, sql: &str, ceiling: u64| {
        let config = PolicyConfig { max_estimated_bytes: ceiling, ..PolicyConfig::default() };
        match database.guarded(sql, &Policy::new(config).unwrap(), &Limits::default()) {
            Ok(_) => None,
            Err(GuardError::Refused(verdict)) => verdict.errors().next().map(|finding| finding.code),
            Err(error) => panic!("{sql}: {error:?}"),
        }
    };
    let code = |sql: &str, ceiling: u64| code_of(&database, sql, ceiling);
    for (sql, expected) in [
        ("SELECT length(string_agg(name, ',')) FROM employees", Some("too_much_held")),
        ("SELECT cardinality(array_agg(name)) FROM employees WHERE concat(name, '') = name", Some("too_much_held")),
        ("SELECT length(string_agg(name, ',')) FROM employees WHERE employee_id < 200", None),
        ("SELECT count(DISTINCT name), max(name) FROM employees", None),
        (&format!("SELECT count(*) FROM {deep}"), Some("plan_unreadable")),
    ] {
        assert_eq!(code(sql, 500_000), expected, "{sql}");
    }
    assert_eq!(code("SELECT length(string_agg(name, ',')) FROM employees", 0), None);
    assert_eq!(code("SELECT length(string_agg(name, ',')) FROM employees", 1_000_000_000), None);
    // The table has grown since it was counted.
    database.catalog = before;
    let grown = code_of(&database, "SELECT length(string_agg(name, ',')) FROM employees", 500_000);
    assert_eq!(grown, Some("too_much_held"));
}

#[test]
fn a_column_newer_than_the_catalog_is_not_shown() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let connection = rusqlite::Connection::open(&fixture.path).unwrap();
    connection.execute_batch("ALTER TABLE shifts ADD COLUMN ssn TEXT DEFAULT '123-45-6789'").unwrap();
    let run = |sql: &str| {
        // A connection that is open knows the table as it was.
        let connector = fixture.connector();
        let (policy, limits) = (Policy::default(), Limits::default());
        runtime().block_on(guard::run(sql, &catalog, connector.as_ref(), &policy, &limits))
    };
    let code = |sql: &str| match run(sql) {
        Ok(_) => "ok",
        Err(GuardError::Refused(verdict)) => verdict.findings[0].code,
        Err(error) => panic!("{sql}: {error}"),
    };
    assert_eq!(code("SELECT * FROM shifts"), "column_not_in_catalog");
    assert_eq!(code("SELECT s.*, upper(held_on) FROM shifts s"), "column_not_in_catalog");
    // Nothing is said of what the new column is for, so the table is not what was judged.
    assert_eq!(code("SELECT shift_id, held_on FROM shifts"), "column_not_in_catalog");
    assert_eq!(code("SELECT *, upper(status), 1 FROM orders JOIN customers USING (customer_id)"), "ok");
}

#[test]
fn tables_may_be_named_that_alone_are_allowed_and_denials_reach_through_views() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let codes = |sql: &str, policy: &Policy| -> Vec<&'static str> {
        let verdict = guard::check(sql, &catalog, "spec", policy, None);
        verdict.findings.iter().filter(|it| it.severity == Severity::Error).map(|it| it.code).collect()
    };
    let allowing = |tables: &[&str]| PolicyConfig {
        allow_tables: tables.iter().map(|&table| table.to_owned()).collect(),
        ..PolicyConfig::default()
    };
    let policy = Policy::new(allowing(&["order*"])).unwrap();
    assert_eq!(codes("SELECT total FROM orders", &policy), Vec::<&str>::new());
    assert_eq!(codes("SELECT country FROM customers", &policy), ["table_not_allowed"]);
    assert_eq!(codes("WITH c AS (SELECT country FROM customers) SELECT * FROM c", &policy), ["table_not_allowed"]);
    let denying = PolicyConfig { deny_tables: vec!["orders".to_owned()], ..PolicyConfig::default() };
    let policy = Policy::new(denying).unwrap();
    assert_eq!(codes("SELECT order_id FROM paid_orders", &policy), ["denied_table"]);
    let denying = PolicyConfig { deny_columns: vec!["orders.total".to_owned()], ..PolicyConfig::default() };
    let policy = Policy::new(denying).unwrap();
    assert_eq!(codes("SELECT total FROM paid_orders", &policy), ["denied_column"]);
    assert_eq!(codes("SELECT order_id FROM paid_orders", &policy), Vec::<&str>::new());
    // What holds for one source doesn't hold for the others.
    let policy = Policy::default().with_source("other", allowing(&["nothing"])).unwrap();
    assert_eq!(codes("SELECT total FROM orders", &policy), Vec::<&str>::new());
    let policy = Policy::default().with_source("spec", allowing(&["nothing"])).unwrap();
    assert_eq!(codes("SELECT total FROM orders", &policy), ["table_not_allowed"]);
}

#[test]
fn views_of_views_are_each_read_once() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let mut entries: Vec<Entry> = catalog.tables_of("spec").cloned().collect();
    let first = entries.iter().find(|entry| entry.table.id.name == "paid_orders").unwrap().clone();
    // Each reads the one before it four times: read as often as they are named, it would be 4^30 times.
    for level in 0..30 {
        let below = if level == 0 { "paid_orders".to_owned() } else { format!("v{}", level - 1) };
        let mut view = first.clone();
        view.table_mut().id.name = format!("v{level}");
        let columns: Vec<&str> = view.table.columns.iter().map(|column| column.name.as_str()).collect();
        let columns: Vec<String> = columns.iter().map(|name| format!("a.{name} || b.{name} AS {name}")).collect();
        view.table_mut().definition = Some(format!("SELECT {} FROM {below} a, {below} b", columns.join(", ")));
        view.change_profile(|_| ());
        entries.push(view);
    }
    let catalog = Catalog::new(vec![catalog.source("spec").unwrap().clone()], entries, Vec::new(), 0);
    let denying = PolicyConfig { deny_columns: vec!["orders.total".to_owned()], ..PolicyConfig::default() };
    let policy = Policy::new(denying).unwrap();
    let codes = |sql: &str| -> Vec<&'static str> {
        let verdict = guard::check(sql, &catalog, "spec", &policy, None);
        verdict.findings.iter().filter(|it| it.severity == Severity::Error).map(|it| it.code).collect()
    };
    assert_eq!(codes("SELECT total FROM v29"), ["denied_column"]);
    assert_eq!(codes("SELECT order_id FROM v29"), Vec::<&str>::new());
}

#[test]
fn the_engines_own_tables_are_not_read_through_views() {
    let fixture = Fixture::new();
    for (dialect, definition) in [
        (Dialect::Postgres, "SELECT s.most_common_vals AS country FROM pg_stats s"),
        (Dialect::Postgres, "SELECT stavalues1::text AS country FROM pg_catalog.pg_statistic"),
        (Dialect::Postgres, "SELECT n AS country FROM pg_stats_ext_exprs WHERE (n) @@@ FOR ALL pg_stats"),
        (Dialect::Mysql, "select `s`.`min_value` AS `country` from `mysql`.`column_stats` `s`"),
        (Dialect::Sqlite, "SELECT sample AS country FROM sqlite_stat4"),
        (Dialect::Duckdb, "SELECT sql AS country FROM duckdb_tables()"),
        (Dialect::Clickhouse, "SELECT query AS country FROM system.query_log"),
    ] {
        let catalog = fixture.catalog(&dialect);
        let mut entries: Vec<Entry> = catalog.tables_of("spec").cloned().collect();
        let first = entries.iter().find(|entry| entry.table.id.name == "paid_orders").unwrap().clone();
        for (name, definition) in [
            ("telling", definition),
            ("above", "SELECT country FROM telling"),
            ("top", "SELECT a.country FROM above a"),
            ("harmless", "SELECT country FROM customers"),
        ] {
            let mut view = first.clone();
            view.table_mut().id.name = name.to_owned();
            view.table_mut().definition = Some(definition.to_owned());
            view.table_mut().columns.truncate(1);
            view.table_mut().columns[0].name = "country".to_owned();
            entries.push(view);
        }
        let catalog = Catalog::new(vec![catalog.source("spec").unwrap().clone()], entries, Vec::new(), 0);
        for (view, expected) in [("telling", true), ("above", true), ("top", true), ("harmless", false)] {
            let sql = format!("SELECT country FROM {view}");
            let verdict = guard::check(&sql, &catalog, "spec", &Policy::default(), None);
            let found = verdict.errors().any(|finding| finding.code == "system_catalog");
            assert_eq!(found, expected, "{dialect}: {sql}: {:?}", verdict.findings);
        }
    }
}

/// A list is compared with a list, and a key with the one that is meant.
#[test]
fn lists_and_keys_of_other_things_are_told() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "CREATE TABLE film (film_id int PRIMARY KEY, extras text[])",
        "CREATE TABLE actor (actor_id int PRIMARY KEY)",
        "CREATE TABLE cast_of (actor_id int REFERENCES actor, film_id int REFERENCES film, PRIMARY KEY (actor_id, film_id))",
    ] {
        database.alter(statement);
    }
    database.learn(|_| None);
    let policy = Policy::new(PolicyConfig { unprofiled: guard::Unprofiled::Names, ..PolicyConfig::default() }).unwrap();
    let found = |sql: &str| guard::check(sql, &database.catalog, "spec", &policy, None).findings;
    let lists = found("SELECT count(*) FROM film WHERE extras = 'Trailers'");
    let told = lists.iter().find(|finding| finding.code == "value_type").unwrap();
    assert_eq!(told.suggestions, ["'Trailers' = ANY (extras)"]);
    let plain = found("SELECT count(*) FROM film WHERE 'Trailers' = ANY (extras) OR extras = '{Trailers}'");
    assert!(plain.iter().all(|finding| finding.rule != RuleName::LiteralValue), "{plain:?}");
    let beside = |on: &str| {
        let sql = format!("SELECT count(*) FROM film f JOIN cast_of c ON {on}");
        found(&sql).iter().any(|finding| finding.code == "join_beside_the_key")
    };
    assert!(beside("f.film_id = c.actor_id"));
    assert!(!beside("f.film_id = c.film_id"));
}
