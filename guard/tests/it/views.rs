//! What views, and tables that are made of others, show of columns that may not be shown.

use catalog::{Catalog, Column, ColumnProfile, Dialect, Entry, Source, Table, TableId, TableKind};
use guard::{Policy, PolicyConfig};

use crate::fixture::Fixture;

/// The specs' catalog with one view more, `v`, whose values nobody found anything in.
fn with_view(dialect: &Dialect, columns: &[&str], definition: Option<&str>) -> Catalog {
    with(dialect, columns, |table| {
        table.kind = TableKind::View;
        table.definition = definition.map(str::to_owned);
    })
}

/// The specs' catalog with one relation more, `v`, of these columns, that is otherwise as it is made.
fn with(dialect: &Dialect, columns: &[&str], make: impl FnOnce(&mut Table)) -> Catalog {
    let catalog = Fixture::new().catalog(dialect);
    let like = catalog.entry(&TableId::new("spec", "paid_orders")).unwrap();
    let mut table = Table::clone(&like.table);
    table.id.name = "v".to_owned();
    table.kind = TableKind::Table;
    table.definition = None;
    make(&mut table);
    let column = |name: &&str| Column { name: (*name).to_owned(), ..table.columns[0].clone() };
    table.columns = columns.iter().map(column).collect();
    let mut profile = like.profile().unwrap().clone();
    profile.table = table.id.clone();
    profile.fingerprint = table.fingerprint();
    profile.columns = columns.iter().map(|name| ColumnProfile::empty(*name)).collect();
    let view = Entry::bare(table).with_profile(profile);
    let entries = catalog.entries().iter().cloned().chain([view]).collect();
    Catalog::new(vec![Source::new("spec", dialect.clone(), "")], entries, Vec::new(), 1)
}

/// The columns of a view that may not be shown, and those that may.
#[track_caller]
fn check(dialect: &Dialect, columns: &[&str], definition: Option<&str>, closed: &[&str]) {
    let catalog = with_view(dialect, columns, definition);
    let found = columns.iter().filter(|column| {
        let sql = format!("SELECT {column} FROM v");
        let verdict = guard::check(&sql, &catalog, "spec", &Policy::default(), None);
        let masked = verdict.findings.iter().any(|finding| finding.code == "masked_column");
        assert_eq!(masked, !verdict.is_accepted(), "{definition:?}: {sql}: {:?}", verdict.findings);
        masked
    });
    let found: Vec<&str> = found.copied().collect();
    assert_eq!(found, closed, "{definition:?}");
}

#[test]
fn a_view_whose_query_is_understood_shows_what_is_not_masked() {
    let sqlite = Dialect::Sqlite;
    check(&sqlite, &["name", "pay"], Some("SELECT name, salary FROM employees"), &["pay"]);
    check(&sqlite, &["name", "digits"], Some("SELECT name, length(salary) FROM employees"), &["digits"]);
    check(&sqlite, &["salary", "n"], Some("SELECT salary, count(*) FROM employees GROUP BY salary"), &["salary", "n"]);
    check(&sqlite, &["name", "n"], Some("SELECT lower(name), length(name) FROM employees WHERE name > 'B'"), &[]);
    check(&sqlite, &["n", "m"], Some("SELECT o.total, count(*) FROM orders o GROUP BY o.total ORDER BY 2"), &[]);
    check(
        &sqlite,
        &["name", "boss"],
        Some("SELECT e.name, m.name FROM employees e JOIN employees m ON m.employee_id = e.manager_id"),
        &[],
    );
}

/// A condition inside a value, as of CASE, can be read off that value, and rows come in no order for it.
#[test]
fn what_decides_over_a_value_can_be_read_off_that_value() {
    let sqlite = Dialect::Sqlite;
    for (definition, closed) in [
        ("SELECT name, CASE WHEN salary > 7000 THEN 'a' ELSE 'b' END FROM employees", &["x"][..]),
        ("SELECT name, CASE salary WHEN 7000 THEN 'a' ELSE 'b' END FROM employees", &["x"]),
        ("SELECT name, iif(salary > 7000, 'a', 'b') FROM employees", &["x"]),
        ("SELECT name, (SELECT count(*) FROM employees q WHERE q.salary > e.salary) FROM employees e", &["name", "x"]),
        ("SELECT name, sum(salary) OVER (ORDER BY salary) FROM employees", &["name", "x"]),
        ("SELECT name, salary - lag(salary) OVER (ORDER BY salary) FROM employees", &["name", "x"]),
        ("SELECT name, CASE WHEN salary > 0 THEN rank() OVER (ORDER BY salary) END FROM employees", &["name", "x"]),
        ("SELECT name, group_concat(email ORDER BY salary) FROM employees GROUP BY name", &["name", "x"]),
        ("SELECT group_concat(name), count(DISTINCT salary) FROM employees", &["name", "x"]),
        ("SELECT name, y IS NULL FROM (SELECT name, CASE WHEN salary > 6 THEN 1 END AS y FROM employees)", &["x"]),
        (
            "SELECT name, 1 FROM (SELECT name, CASE WHEN salary > 6 THEN 1 END AS y FROM employees) WHERE y IS NULL",
            &["name", "x"],
        ),
        (
            "WITH t AS (SELECT name, nullif(salary, 4500) AS y FROM employees) SELECT name, 1 FROM t WHERE y IS NOT NULL",
            &["name", "x"],
        ),
        ("SELECT name, nullif(salary, 4500) AS salary FROM employees WHERE salary IS NULL", &["name", "x"]),
        ("SELECT name, sum(CASE WHEN salary > 5 THEN 1 END) FROM employees GROUP BY name", &["x"]),
        ("SELECT name, row_number() OVER (ORDER BY salary) FROM employees", &["name", "x"]),
        ("SELECT name, x FROM (SELECT name, CASE WHEN salary > 7 THEN 1 ELSE 0 END AS x FROM employees)", &["x"]),
        (
            "SELECT name, x FROM (SELECT name, CASE WHEN salary > 7 THEN 1 ELSE 0 END AS x FROM employees) WHERE x = 1",
            &["name", "x"],
        ),
        ("SELECT DISTINCT name, CASE WHEN salary > 7 THEN 1 ELSE 0 END FROM employees", &["name", "x"]),
        ("SELECT name, CASE WHEN salary > 7 THEN 1 ELSE 0 END AS x FROM employees ORDER BY x LIMIT 3", &["name", "x"]),
        ("SELECT name, max(CASE WHEN salary > 7 THEN 1 ELSE 0 END) FROM employees", &["name", "x"]),
    ] {
        check(&sqlite, &["name", "x"], Some(definition), closed);
    }
}

#[test]
fn what_decides_over_rows_can_be_read_off_every_column() {
    let sqlite = Dialect::Sqlite;
    for (columns, definition) in [
        (["name", "r"], "SELECT name, rank() OVER (ORDER BY salary) FROM employees"),
        (["name", "salary"], "SELECT name, salary FROM employees WHERE salary > 7000"),
        (["name", "salary"], "SELECT name, salary FROM employees ORDER BY salary LIMIT 2"),
        (["name", "salary"], "SELECT name, salary FROM employees WHERE salary = 7000"),
        (["salary", "rich"], "SELECT salary, CASE WHEN salary > 7000 THEN 1 ELSE 0 END FROM employees"),
        (["name", "total"], "SELECT e.name, o.total FROM employees e JOIN orders o ON o.total = e.salary"),
    ] {
        check(&sqlite, &columns, Some(definition), &columns);
    }
}

/// What can't be followed may ask for a salary: then even how many rows there are, or whether one is among them, tells of it.
#[test]
fn rows_of_what_cannot_be_followed_are_not_counted() {
    let sqlite = Dialect::Sqlite;
    let count = "SELECT count(*) FROM v";
    for (definition, is_refused) in [
        ("SELECT name FROM employees WHERE well_paid(employee_id)", true),
        ("SELECT name FROM other.employees", true),
        ("SELECT name FROM nobody_knows", true),
        ("SELECT name FROM employees", false),
        ("SELECT name FROM employees WHERE length(name) > 3", false),
    ] {
        let catalog = with_view(&sqlite, &["name"], Some(definition));
        let lineage = guard::lineage(&catalog);
        let catalog = catalog.with_lineage(&lineage);
        let verdict = guard::check(count, &catalog, "spec", &Policy::default(), None);
        assert_eq!(!verdict.is_accepted(), is_refused, "{definition}: {:?}", verdict.findings);
    }
}

#[test]
fn a_view_whose_query_cannot_be_followed_shows_nothing() {
    let columns = ["name", "pay"];
    for (dialect, definition) in [
        (Dialect::Sqlite, None),
        (Dialect::Sqlite, Some("SELECT name FROM WHERE")),
        (Dialect::Sqlite, Some("SELECT name, pay FROM elsewhere")),
        (Dialect::Postgres, Some("SELECT name, secret_of(employee_id) AS pay FROM employees")),
        (Dialect::Postgres, Some("SELECT a.name, a.pay FROM all_of_them() AS a(name, pay)")),
        (Dialect::Clickhouse, Some("SELECT name, dictGet('pay', 'amount', employee_id) AS pay FROM employees")),
    ] {
        check(&dialect, &columns, definition, &columns);
    }
}

#[test]
fn a_view_of_a_star_that_leaves_columns_out_is_read_by_name() {
    let star = Some("SELECT * FROM employees");
    check(&Dialect::Mysql, &["employee_id", "name"], star, &[]);
    check(&Dialect::Mysql, &["employee_id", "salary"], star, &["salary"]);
    check(&Dialect::Mysql, &["a", "b", "c", "d"], star, &["a", "b", "c", "d"]);
    check(&Dialect::Sqlite, &["a", "b", "c", "d"], star, &["d"]);
}

#[test]
fn a_view_that_cannot_be_followed_may_read_what_is_denied() {
    for (definition, denied) in [("SELECT a FROM elsewhere", true), ("SELECT full_name AS a FROM customers", false)] {
        let catalog = with_view(&Dialect::Sqlite, &["a"], Some(definition));
        let config = PolicyConfig { deny_tables: vec!["emp*".to_owned()], ..PolicyConfig::default() };
        let policy = Policy::new(config).unwrap();
        let verdict = guard::check("SELECT count(*) FROM v", &catalog, "spec", &policy, None);
        let found = verdict.findings.iter().any(|finding| finding.code == "denied_table");
        assert_eq!(found, denied, "{definition}: {:?}", verdict.findings);
    }
}

#[test]
fn a_table_that_a_module_makes_of_another_is_as_masked_as_that() {
    let of = |read: &str| {
        let read = TableId::new("spec", read);
        with(&Dialect::Sqlite, &["term", "cnt"], |table| {
            table.kind = TableKind::Other("virtual table".to_owned());
            table.reads_from = vec![read];
        })
    };
    for sql in ["SELECT term FROM v", "SELECT count(*) FROM v WHERE \"v\" = 'a*'"] {
        let code = |catalog: &Catalog| {
            let verdict = guard::check(sql, catalog, "spec", &Policy::default(), None);
            verdict.findings.iter().any(|finding| finding.code == "masked_column")
        };
        assert!(code(&of("employees")), "{sql}");
        assert!(!code(&of("customers")), "{sql}");
    }
}
