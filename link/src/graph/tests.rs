use catalog::TableId;

use super::join_paths;
use crate::linked::Cardinality;
use crate::testing::catalog_of;

fn check(tables: &[&str], asked: &[&str], expected: &[&str]) {
    let asked: Vec<TableId> = asked.iter().map(|name| TableId::new("s", *name)).collect();
    let paths = join_paths(&catalog_of(tables), &asked);
    let found: Vec<String> = paths
        .iter()
        .map(|path| {
            let steps = path.steps.iter().map(|step| {
                format!("{}.{}={}.{}", step.left.name, step.left_columns[0], step.right.name, step.right_columns[0])
            });
            steps.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(found, expected);
}

const CHAIN: &[&str] = &[
    "s.a: id INTEGER",
    "s.ab: a_id INTEGER, b_id INTEGER; a_id -> a.id, b_id -> b.id",
    "s.b: id INTEGER",
    "s.c: id INTEGER, b_id INTEGER; b_id ~> b.id",
    "s.alone: id INTEGER",
];

#[test]
fn tables_are_joined_through_those_between_them() {
    check(CHAIN, &["a", "b"], &["a.id=ab.a_id ab.b_id=b.id"]);
    check(CHAIN, &["a", "b", "c"], &["a.id=ab.a_id ab.b_id=b.id b.id=c.b_id"]);
    check(CHAIN, &["b", "alone"], &[]);
    check(CHAIN, &["gone"], &[]);
    check(CHAIN, &[], &[]);
}

#[test]
fn declared_keys_are_preferred_to_inferred_ones() {
    check(
        &[
            "s.a: id INTEGER",
            "s.b: id INTEGER",
            "s.sure: a_id INTEGER, b_id INTEGER; a_id -> a.id, b_id -> b.id",
            "s.guess: a_id INTEGER, b_id INTEGER; a_id ~> a.id, b_id ~> b.id",
        ],
        &["a", "b"],
        &["a.id=sure.a_id sure.b_id=b.id"],
    );
}

#[test]
fn a_step_says_how_many_rows_meet() {
    let asked = ["a", "ab", "c", "b"].map(|name| TableId::new("s", name));
    let of = |tables: &[&str]| -> Vec<Cardinality> {
        let paths = join_paths(&catalog_of(tables), &asked);
        paths.iter().flat_map(|path| &path.steps).map(|step| step.cardinality).collect()
    };
    // The first column of each table is its key here.
    assert_eq!(of(CHAIN), [Cardinality::OneToOne, Cardinality::ManyToOne, Cardinality::OneToMany]);
}

#[test]
fn columns_that_are_a_key_meet_one_row() {
    let chain = catalog_of(CHAIN);
    let mut table = catalog::Table::clone(&chain.find("ab", None)[0].table);
    let is_key = |table: &catalog::Table, columns: &[&str]| {
        super::is_key(table, &columns.iter().map(|column| (*column).to_owned()).collect::<Vec<_>>())
    };
    table.primary_key = vec!["a_id".to_owned(), "b_id".to_owned()];
    assert!(is_key(&table, &["b_id", "a_id"]) && !is_key(&table, &["a_id"]));
    table.primary_key = Vec::new();
    assert!(!is_key(&table, &["a_id"]), "no key is known");
}
