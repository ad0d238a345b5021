//! What is only worth a word: conditions on large tables that no index leads to.

use catalog::{Catalog, Dialect, Exactness, Index, RowCount};
use guard::{Policy, RuleName};

use crate::fixture::Fixture;

/// The fixture's tables with 40,000 rows each, and an index on `orders` by what it was ordered on.
fn large(fixture: &Fixture) -> Catalog {
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let entries = catalog.tables_of("spec").cloned().map(|mut entry| {
        entry.table_mut().row_count = Some(RowCount { value: 40_000, exactness: Exactness::Exact });
        if entry.table.id.name == "orders" {
            let columns = vec!["ordered_on".to_owned()];
            entry.table_mut().indexes.push(Index { name: "by_day".to_owned(), columns, unique: false });
        }
        entry
    });
    Catalog::new(vec![catalog.source("spec").unwrap().clone()], entries.collect(), Vec::new(), 1)
}

#[test]
fn conditions_that_no_index_leads_to_are_worth_a_hint() {
    let fixture = Fixture::new();
    let catalog = large(&fixture);
    let check = |sql: &str, expected: &[&str]| {
        let verdict = guard::check(sql, &catalog, "spec", &Policy::default(), None);
        assert!(verdict.is_accepted(), "{sql}: {:?}", verdict.findings);
        let found: Vec<&str> = verdict
            .findings
            .iter()
            .filter(|finding| finding.rule == RuleName::SlowFilter)
            .map(|finding| finding.code)
            .collect();
        assert_eq!(found, expected, "{sql}");
    };
    check("SELECT count(*) FROM orders WHERE date(ordered_on) = '2024-02-11'", &["function_over_index"]);
    check("SELECT count(*) FROM orders WHERE CAST(order_id AS TEXT) = '11'", &["function_over_index"]);
    check("SELECT count(*) FROM orders WHERE ordered_on >= '2024-02-11' AND ordered_on < '2024-02-12'", &[]);
    check("SELECT count(*) FROM orders WHERE date(ordered_on) = '2024-02-11' AND order_id = 11", &[]);
    check("SELECT count(*) FROM orders WHERE upper(status) = 'PAID'", &[]);
    check("SELECT count(*) FROM orders WHERE ordered_on LIKE '%-02-11'", &["open_pattern"]);
    check("SELECT count(*) FROM orders WHERE ordered_on LIKE '2024-02-%'", &[]);
    check("SELECT count(*) FROM order_lines WHERE line = 2", &["index_without_its_beginning"]);
    check("SELECT count(*) FROM order_lines WHERE line = 2 AND order_id = 10", &[]);
    check("SELECT count(*) FROM order_lines l JOIN orders o ON o.order_id = l.order_id WHERE l.line = 2", &[]);
}
