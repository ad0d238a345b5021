//! What most agree on is found, however they write it, and what only looks like it isn't.

use catalog::{Dialect, Keeps};
use usage::{Logged, Reader};

use crate::fixture::{Logs, SOURCE, save};

const ANALYSTS: [&str; 4] = ["ann", "bob", "cyd", "dan"];

/// Statements that leave cancelled orders out, each by another analyst, and one that forgets.
fn leaving_out() -> Vec<(&'static str, &'static str)> {
    let statements = [
        "SELECT count(*) FROM orders WHERE status <> 'cancelled' AND status <> 'Cancelled'",
        "SELECT sum(total_cents) / 100.0 AS revenue FROM orders WHERE lower(status) != 'cancelled'",
        "SELECT customer_id, sum(o.total_cents) / 100.0 AS revenue FROM orders o WHERE o.status NOT IN ('cancelled', 'Cancelled') GROUP BY 1",
        "WITH good AS (SELECT * FROM orders WHERE status IN ('paid', 'sent')) SELECT avg(total_cents) FROM good",
        "SELECT c.country, sum(o.total_cents) / 100.0 AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id \
         WHERE c.deleted_at IS NULL AND NOT (o.status = 'cancelled' OR o.status = 'Cancelled') GROUP BY c.country",
        "SELECT max(total_cents) FROM orders WHERE status NOT IN ('Cancelled', 'cancelled') AND is_test = false",
        "SELECT min(total_cents) FROM orders WHERE lower(status) <> 'cancelled' AND NOT is_test",
        "SELECT count(*) AS lost FROM orders WHERE status = 'cancelled'",
        "SELECT status, count(*) FROM orders GROUP BY status",
        "SELECT sum(total_cents) FROM orders",
    ];
    statements.into_iter().enumerate().map(|(number, sql)| (ANALYSTS[number % ANALYSTS.len()], sql)).collect()
}

#[test]
fn what_most_leave_out_is_found_in_all_forms() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.run(&leaving_out());
    let usage = logs.usage_of("orders");
    let filters: Vec<_> = usage.filters.iter().map(|filter| (filter.condition.as_str(), &filter.keeps)).collect();
    let left_out = Keeps::Without(vec!["Cancelled".to_owned(), "cancelled".to_owned()]);
    assert_eq!(filters, [("status NOT IN ('Cancelled', 'cancelled')", &left_out)]);
    let share = usage.filters[0].share;
    assert_eq!((share.statements, share.of_statements, share.of_users), (7, 8, 4));
    assert_eq!(
        usage.filters[0].in_words(),
        "status NOT IN ('Cancelled', 'cancelled') (7 of 8 statements, 4 of 4 users)"
    );
    let measures: Vec<_> = usage.measures.iter().map(|it| (it.name.as_str(), it.expression.as_str())).collect();
    assert_eq!(measures, [("revenue", "sum(total_cents) / 100.0")]);
    // One statement is no habit.
    assert!(usage.joins.is_empty());
}

#[test]
fn what_one_job_repeats_or_everybody_varies_is_no_habit() {
    let mut logs = Logs::new(Dialect::Postgres);
    let mut statements: Vec<(&str, &str)> = Vec::new();
    // One job, every minute.
    statements.extend((0..500).map(|_| ("job", "SELECT count(*) FROM orders WHERE status <> 'sent'")));
    // One country each, and half of the people look at tests.
    for (number, user) in ANALYSTS.iter().enumerate() {
        let country = ["DE", "FR", "US"][number % 3];
        let test = ["is_test", "NOT is_test"][number % 2];
        for kind in ["count(*)", "sum(total_cents)", "avg(total_cents)"] {
            statements.push((user, format!("SELECT {kind} FROM orders WHERE {test}").leak()));
            statements.push((user, format!("SELECT {kind} FROM orders WHERE total_cents > 100").leak()));
            statements
                .push((user, format!("SELECT count(*), '{kind}' FROM customers WHERE country = '{country}'").leak()));
            statements.push((user, format!("SELECT count(id), '{kind}' FROM customers").leak()));
        }
        // A look-up by key has no habit.
        statements.push((user, format!("SELECT * FROM orders WHERE id = {number}").leak()));
    }
    logs.run(&statements);
    for table in ["orders", "customers"] {
        let filters = logs.usage_of(table).filters;
        assert!(filters.is_empty(), "{table}: {filters:?}");
    }
    assert!(logs.usage_of("orders").reads.runs > 500);
}

#[test]
fn no_constant_and_no_name_is_kept() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.run(&[
        ("ann.smith", "SELECT id FROM customers WHERE email = 'pat@example.com'"),
        (
            "ann.smith",
            "SELECT count(*) AS secret FROM customers WHERE country = 'Narnia' AND deleted_at > '2024-02-03'",
        ),
        ("ann.smith", "SELECT sum(CASE WHEN note = 'Pat Smith owes us' THEN total_cents END) AS owed FROM orders"),
        ("ann.smith", "SELECT sum(CASE WHEN email = 471147 THEN 1 END) AS mailed FROM customers"),
        ("ann.smith", "SELECT sum(CASE WHEN email > 1234 THEN deleted_at END) AS mailed FROM customers"),
        ("ann.smith", "SELECT sum(CASE WHEN customer_id = 987654 THEN total_cents END) AS theirs FROM orders"),
        ("ann.smith", "SELECT sum(total_cents) / (SELECT count(*) FROM customers WHERE id = 5678) AS each FROM orders"),
        ("ann.smith", "INSERT INTO customers (email) VALUES ('kim@example.com')"),
        ("ann.smith", "SELECT count(*) FROM orders WHERE status = 'paid'"),
    ]);
    let kept = save(&logs.journal, logs.folder.path());
    for secret in ["example.com", "Narnia", "2024-02", "Pat", "ann", "smith", "kim", "471147", "1234", "987654", "5678"]
    {
        assert!(!kept.contains(secret), "{secret} in {kept}");
    }
    assert!(kept.contains("paid"));
}

#[test]
fn what_the_engine_refused_is_no_habit() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.run(&[("ann", "SELECT sum(totals) / 100 AS revenue FROM orders"), ("ann", "SELECT count(*) FROM order")]);
    let usage = logs.journal.usage(&logs.catalog, SOURCE);
    assert_eq!((usage.runs, usage.not_understood, usage.tables.len()), (0, 1, 0));
    assert_eq!(usage.why_not, [("a column that orders doesn't have".to_owned(), 1)]);
}

#[test]
fn statistics_that_grow_are_counted_once() {
    let mut logs = Logs::new(Dialect::Postgres);
    let counted = |runs| {
        let sql = "SELECT count(*) FROM orders WHERE status <> $1".to_owned();
        [Logged { sql, user: Some("ann".to_owned()), at: None, runs }]
    };
    let catalog = logs.catalog.clone();
    let reader = Reader::new(&catalog, SOURCE);
    assert_eq!(logs.journal.read_statistics(&counted(10), &reader), 10);
    assert_eq!(logs.journal.read_statistics(&counted(12), &reader), 2);
    // Somebody has reset them.
    assert_eq!(logs.journal.read_statistics(&counted(3), &reader), 3);
    assert_eq!(logs.usage_of("orders").reads.runs, 15);
}

#[test]
fn what_is_masked_since_is_told_no_more() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.run(&leaving_out());
    let usage = logs.journal.usage(&logs.catalog, SOURCE);
    let catalog = logs.catalog.clone().with_usage(vec![(SOURCE.to_owned(), usage)]);
    let mut entries: Vec<_> = catalog.entries().to_vec();
    for entry in &mut entries {
        entry.change_profile(|profile| {
            for column in &mut profile.columns {
                if ["status", "total_cents"].contains(&column.column.as_str()) {
                    column.masked = Some(catalog::Mask::by_values("somebody said so"));
                }
            }
        });
    }
    let usage = logs.journal.usage(&logs.catalog, SOURCE);
    let sources = catalog.sources().to_vec();
    let masked = catalog::Catalog::new(sources, entries, Vec::new(), 2).with_usage(vec![(SOURCE.to_owned(), usage)]);
    let orders = masked.usage_of(masked.find("orders", None)[0]).unwrap();
    assert!(orders.filters.is_empty() && orders.measures.is_empty());
    assert!(orders.reads.statements > 0);
}

#[test]
fn a_condition_that_stands_for_another_is_told_beside_it() {
    let mut logs = Logs::new(Dialect::Postgres);
    let mut statements: Vec<(&str, &str)> = vec![("ann", "SELECT 1 FROM orders"), ("bob", "SELECT 2, id FROM orders")];
    // Half of them say it by another column, and nobody by both.
    let conditions =
        ["status NOT ILIKE 'cancel%'", "status !~* '^cancel'", "note IS NULL", "(note IS NULL OR note > CURRENT_DATE)"];
    for (user, condition) in ANALYSTS.iter().zip(conditions) {
        for kind in ["count(*)", "sum(total_cents)", "avg(total_cents)", "max(total_cents)", "min(total_cents)"] {
            statements.push((user, format!("SELECT {kind} FROM orders WHERE {condition}").leak()));
        }
    }
    logs.run(&statements);
    let usage = logs.usage_of("orders");
    let told = |filter: &catalog::UsualFilter| {
        (filter.condition.clone(), filter.instead.join(", "), filter.share.statements, filter.share.of_statements)
    };
    let of_both = ("note IS NULL".to_owned(), "status".to_owned(), 10, 12);
    assert_eq!(usage.filters.iter().map(told).collect::<Vec<_>>(), [of_both]);
    assert_eq!(
        usage.filters[0].in_words(),
        "note IS NULL, or a condition on status (10 of 12 statements, 4 of 4 users)"
    );
}

#[test]
fn a_condition_on_a_table_that_is_joined_is_told_of_the_one_that_is_read() {
    let mut logs = Logs::new(Dialect::Postgres);
    let mut statements: Vec<(&str, &str)> = vec![
        ("ann", "SELECT count(*) AS n FROM orders"),
        ("bob", "SELECT c.country, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1"),
        // Who looks at one thing, or asks for what the others leave out, forgets nothing.
        ("cyd", "SELECT total_cents FROM orders WHERE id = 7"),
        (
            "dan",
            "SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.deleted_at IS NOT NULL",
        ),
        // Customers are read for themselves.
        ("ann", "SELECT count(*) FROM customers"),
        ("bob", "SELECT country, count(*) FROM customers GROUP BY 1"),
    ];
    for user in ANALYSTS {
        for kind in ["count(*)", "sum(o.total_cents)", "max(o.total_cents)", "min(o.total_cents)", "avg(o.total_cents)"]
        {
            statements.push((
                user,
                format!(
                    "SELECT {kind} FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.deleted_at IS NULL"
                )
                .leak(),
            ));
        }
    }
    logs.run(&statements);
    let told = |table: &str| logs.usage_of(table).filters.iter().map(|it| it.in_words()).collect::<Vec<_>>();
    assert_eq!(
        told("orders"),
        ["customers.deleted_at IS NULL, with customers joined (20 of 22 statements, 4 of 4 users)"]
    );
    assert_eq!(
        told("customers"),
        ["deleted_at IS NULL where rows of other tables are completed by it (20 of 21 statements, 4 of 4 users)"]
    );
}

#[test]
fn what_nearly_all_ask_for_leaves_out_the_rest() {
    let mut logs = Logs::new(Dialect::Postgres);
    let mut statements: Vec<(&str, &str)> = vec![
        ("ann", "SELECT count(*) FROM orders"),
        ("bob", "SELECT max(id) FROM orders WHERE status = 'cancelled'"),
        ("cyd", "SELECT min(id) FROM orders WHERE status IN ('paid', 'sent')"),
    ];
    for user in ANALYSTS {
        for kind in ["count(*)", "sum(total_cents)", "max(total_cents)", "min(total_cents)", "avg(total_cents)"] {
            statements.push((user, format!("SELECT {kind} FROM orders WHERE status = 'paid'").leak()));
        }
    }
    logs.run(&statements);
    let told: Vec<String> = logs.usage_of("orders").filters.iter().map(|it| it.condition.clone()).collect();
    assert_eq!(told, ["status = 'paid'"]);
}

#[test]
fn a_name_is_known_however_what_it_stands_for_is_written() {
    let mut logs = Logs::new(Dialect::Postgres);
    let written = [
        "sum(total_cents) / 100.0",
        "sum(o.total_cents)::numeric / 100",
        "0.01 * sum(total_cents)",
        "round(sum(total_cents / 100.0), 2)",
        "sum(total_cents) / 100.0 + 0.0",
        "sum(total_cents) / 100.0",
    ];
    for (number, expression) in written.iter().enumerate() {
        let user = ANALYSTS[number % ANALYSTS.len()];
        let sql: &str = format!("SELECT {expression} AS revenue, {number} AS n{number} FROM orders o").leak();
        logs.run(&[(user, sql)]);
        let ratio = "count(*) FILTER (WHERE status = 'paid') / nullif(count(*), 0)";
        logs.write("more.jsonl", &format!("{{\"user\": \"{user}\", \"query\": \"SELECT {ratio} AS paid_share, {number} AS m{number} FROM orders\"}}\n"));
        logs.read();
    }
    let told: Vec<String> = logs.usage_of("orders").measures.iter().map(|it| it.in_words()).collect();
    assert_eq!(
        told,
        [
            "paid_share: count(*) FILTER (WHERE status = 'paid') / nullif(count(*), 0) (6 of 6 statements, 4 of 4 users)",
            "revenue: sum(total_cents) / 100.0 (5 of 6 statements, 4 of 4 users)",
        ]
    );
}
