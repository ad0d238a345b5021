//! What engines tell of masked columns before, beside and instead of rows: it costs a look-up, it is withheld, or it is
//! not asked for.

use catalog::{Catalog, Entry};
use connect::Limits;
use guard::{GuardError, Policy, PolicyConfig, Unprofiled, Verdict};

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};

const ENGINES: [&Engine; 5] = [&SQLITE, &POSTGRES, &MARIADB, &DUCKDB, &CLICKHOUSE];

fn verified(database: &Database, sql: &str, policy: &Policy) -> Verdict {
    let connector = database.connector.as_ref();
    database.runtime.block_on(guard::verify(sql, &database.catalog, connector, policy)).unwrap()
}

fn first_error(verdict: &Verdict) -> Option<&'static str> {
    verdict.errors().map(|finding| finding.code).next()
}

fn looking_up(most: usize) -> Policy {
    Policy::new(PolicyConfig { max_look_ups: most, ..PolicyConfig::default() }).unwrap()
}

#[test]
fn a_check_counts_as_much_as_a_run_and_both_together_once() {
    let with = |salary: u32| format!("SELECT count(*) AS n FROM employees WHERE salary = {salary}");
    for database in ENGINES.into_iter().filter_map(Database::of) {
        let policy = looking_up(2);
        for _ in 0..3 {
            assert_eq!(first_error(&verified(&database, &with(1), &policy)), None, "{}", database.engine.name);
        }
        database.guarded(&with(1), &policy, &Limits::default()).unwrap();
        database.guarded(&with(2), &policy, &Limits::default()).unwrap();
        assert_eq!(first_error(&verified(&database, &with(3), &policy)), Some("too_many_look_ups"));
        // What was counted may be asked again.
        assert_eq!(first_error(&verified(&database, &with(2), &policy)), None);
    }
}

#[test]
fn a_look_up_counts_where_the_engine_refuses_the_statement() {
    let Some(database) = Database::of(&CLICKHOUSE) else { return };
    // The engine computes the subquery while it makes a plan.
    let telling =
        |salary: u32| format!("SELECT intDiv(1, (SELECT count() FROM employees WHERE salary = {salary})) AS n");
    let policy = looking_up(2);
    let refused = verified(&database, &telling(1), &policy);
    // Whether it was the engine or the account that refused would tell as much.
    assert_eq!(first_error(&refused), Some("masked_column"));
    let said = &refused.errors().next().unwrap().message;
    assert!(said.contains("isn't told") && !said.contains("ivision"), "{said}");
    assert!(database.guarded(&telling(2), &policy, &Limits::default()).is_err());
    assert_eq!(first_error(&verified(&database, &telling(9000), &policy)), Some("too_many_look_ups"));
}

#[test]
fn of_unknown_names_the_engine_sees_nothing_but_the_names() {
    let why = |verdict: &Verdict| verdict.errors().map(|finding| finding.why.clone()).next().unwrap();
    for mut database in ENGINES.into_iter().filter_map(Database::of) {
        let name = database.engine.name;
        let engine = if name == "ClickHouse" { " ENGINE = Memory" } else { "" };
        database.alter(&format!("CREATE TABLE brand_new (here INT){engine}"));
        database.alter("ALTER TABLE shifts ADD COLUMN ssn VARCHAR(20)");
        for (sql, expected) in [
            ("SELECT here FROM brand_new", true),
            ("SELECT here FROM brand_new JOIN orders ON order_id = here", true),
            ("SELECT ssn FROM shifts", true),
            ("SELECT count(*) AS n FROM shifts WHERE SSN = 'x'", true),
            // Compiled, it would be refused.
            ("SELECT nothing_of_it FROM brand_new", true),
            ("SELECT here FROM never_was", false),
            ("SELECT never_was FROM shifts", false),
            ("SELECT ssn FROM orders", false),
        ] {
            let verdict = verified(&database, sql, &Policy::default());
            assert_eq!(
                why(&verdict).contains("after the last `periplus index`"),
                expected,
                "{name}: {sql}: {:?}",
                verdict.findings
            );
        }
        let sql = "SELECT here FROM brand_new UNION ALL SELECT never_was FROM orders";
        let verdict = verified(&database, sql, &Policy::default());
        let told: Vec<bool> = verdict.errors().map(|it| it.why.contains("after the last")).collect();
        assert_eq!(told, [true, false], "{name}: each name has its own reason");
        // What is refused for other reasons as well is not asked about.
        let both = verified(&database, "SELECT salary, ssn FROM employees, shifts", &Policy::default());
        assert!(both.errors().all(|finding| !finding.why.contains("after the last")), "{name}");
    }
}

/// The database's catalog with what has come since; nobody has looked at that.
fn again(database: &Database) -> Catalog {
    let tables = database.runtime.block_on(database.connector.introspect()).unwrap();
    let entries = tables.into_iter().map(|table| {
        let profile = database.catalog.entry(&table.id).and_then(|known| known.profile()).cloned();
        Entry::bare(table).with_profile(profile)
    });
    Catalog::new(vec![database.catalog.source("spec").unwrap().clone()], entries.collect(), Vec::new(), 2)
}

#[test]
fn what_the_engine_says_of_a_view_over_a_masked_column_is_withheld() {
    let number = |engine: &str| {
        if engine == "ClickHouse" {
            "toInt32(concat(toString(salary), 'x'))"
        } else {
            "CAST(CAST(salary AS VARCHAR(20)) || 'x' AS INT)"
        }
    };
    for mut database in [&POSTGRES, &DUCKDB, &CLICKHOUSE].into_iter().filter_map(Database::of) {
        let name = database.engine.name;
        database.alter(&format!("CREATE VIEW strange AS SELECT employee_id FROM employees WHERE {} > 0", number(name)));
        database.alter("CREATE VIEW plain AS SELECT employee_id FROM employees");
        database.catalog = again(&database);
        let config = PolicyConfig { unprofiled: Unprofiled::Names, ..PolicyConfig::default() };
        let policy = Policy::new(config).unwrap();
        let said = |sql: &str| match database.guarded(sql, &policy, &Limits::default()) {
            Ok(_) => "ok".to_owned(),
            Err(GuardError::Refused(verdict)) => verdict.errors().map(|it| it.message.clone()).collect(),
            Err(GuardError::Connect(error)) => error.to_string(),
            Err(error) => panic!("{sql}: {error}"),
        };
        let words = said("SELECT count(*) AS n FROM strange");
        let is_told =
            words.contains("withheld") || words.contains("masked columns") || words.contains("employees.salary");
        assert!(is_told && !words.contains("000"), "{name}: {words}");
        assert_eq!(said("SELECT employee_id FROM plain"), "ok", "{name}");
        // Of what may be shown, its words are handed on.
        let text = if name == "ClickHouse" { "toInt32(sku)" } else { "CAST(sku AS INT)" };
        let words = said(&format!("SELECT {text} AS n FROM order_lines"));
        assert!(words.contains("A-1"), "{name}: {words}");
    }
}
