//! How much is read: bounds of length, depth and work. What statements say is told in `sql/tests/specs`.

use catalog::{Catalog, Column, Dialect, Entry, Source, Table, TableId};

use super::read;
use crate::reading::{ProblemKind, ResolvedStatement};
use crate::schema::CatalogSchema;

fn table(name: &str, columns: &[&str]) -> Entry {
    let column = |name: &&str| Column::new(*name, "TEXT");
    Entry::bare(Table { columns: columns.iter().map(column).collect(), ..Table::new(TableId::new("test", name)) })
}

fn read_in(dialect: &Dialect, sql: &str) -> ResolvedStatement {
    let source = Source::new("test", dialect.clone(), "");
    let entries =
        vec![table("a", &["id", "x", "y"]), table("b", &["id", "a_id", "z"]), table("c", &["id", "b_id", "w"])];
    let catalog = Catalog::new(vec![source], entries, Vec::new(), 0);
    read(sql, dialect, &CatalogSchema::new(&catalog, "test"))
}

#[test]
fn bounds_are_kept() {
    let problem = |sql: &str| read_in(&Dialect::Sqlite, sql).problems.remove(0).kind;
    assert!(matches!(problem(&"x".repeat(2 << 20)), ProblemKind::TooLong { .. }));
    assert_eq!(problem(&format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000))), ProblemKind::TooDeep);
    assert_eq!(problem(&format!("SELECT 1{}", " || 1".repeat(10_000))), ProblemKind::TooDeep);
    let doubling: Vec<String> =
        (0..24).map(|n| format!("t{} AS (SELECT l.*, r.* FROM t{n} l, t{n} r)", n + 1)).collect();
    let doubling = format!("WITH t0 AS (SELECT * FROM a), {} SELECT * FROM t24", doubling.join(", "));
    assert_eq!(problem(&doubling), ProblemKind::TooComplex);
    let long_chain = format!("SELECT 1 FROM a WHERE {}", vec!["x = 1"; 1_500].join(" OR "));
    assert!(read_in(&Dialect::Sqlite, &long_chain).problems.is_empty());
}

#[test]
fn queries_inside_each_other_need_no_large_stack() {
    let nested = |levels: usize| {
        (0..levels).fold("orders".to_owned(), |from, level| format!("(SELECT *, 1 AS n{level} FROM {from}) q{level}"))
    };
    for levels in [8, 20, 60, 400] {
        let sql = format!("SELECT 1, 2 FROM {}", nested(levels));
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let reading = small.spawn(move || read_in(&Dialect::Sqlite, &sql)).unwrap().join().unwrap();
        let is_known = |table: &crate::reading::TableUse| table.parts == ["orders"];
        assert_eq!(reading.tables.iter().any(is_known), levels < 100, "{levels}");
    }
}
