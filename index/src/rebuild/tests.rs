#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::sync::Arc;

use catalog::{
    Catalog, Column, Dialect, Entry, ForeignKey, KeyOrigin, Lineage, MadeColumn, MaskRules, Memory, MemoryId,
    MemoryKind, MemoryState, NewMemory, Reach, Source, Store, StructureVerdict, Table, TableId,
};
use llm::{Embedder, LlmError};

use crate::Index;
use crate::testing::examined;

/// Sums of letters: enough to tell vectors apart.
struct Letters;

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        8
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        let vector = |text: &&str| {
            let mut vector = [0.01_f32; 8];
            text.bytes().for_each(|byte| vector[usize::from(byte % 8)] += 1.0);
            let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
            vector.map(|part| part / length).to_vec()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn table(name: &str, columns: &[&str], refers_to: &[&str]) -> Entry {
    let column = |name: &&str| Column {
        comment: Some(format!("the {name} as it was entered")),
        enum_values: vec![format!("{name} one"), "open".to_owned(), "DE".to_owned()],
        ..Column::new(*name, "TEXT")
    };
    let key = |other: &&str| ForeignKey {
        columns: vec![format!("{other}_id")],
        ref_table: TableId::new("shop", *other),
        ref_columns: vec!["id".to_owned()],
        origin: KeyOrigin::Declared,
    };
    examined(Table {
        comment: Some(format!("all {name} since 2019")),
        columns: columns.iter().map(column).collect(),
        primary_key: vec!["id".to_owned()],
        foreign_keys: refers_to.iter().map(key).collect(),
        ..Table::new(TableId::new("shop", name))
    })
}

fn tables() -> Vec<Entry> {
    vec![
        table("customers", &["id", "name", "country"], &[]),
        table("products", &["id", "title", "status"], &[]),
        table("orders", &["id", "customers_id", "status"], &["customers"]),
        table("lines", &["id", "orders_id", "products_id"], &["orders", "products"]),
        table("events_20240101", &["id", "kind"], &[]),
        table("events_20240102", &["id", "kind"], &[]),
        table("notes", &["id", "body"], &[]),
    ]
}

/// With an approved query, whose table may be there or not.
fn catalog(entries: &[Entry], revision: u64) -> Catalog {
    let content = NewMemory {
        source: "shop".to_owned(),
        kind: MemoryKind::Approved,
        question: "How many orders are open?".to_owned(),
        sql: "SELECT count(*) FROM orders WHERE status = 'open'".to_owned(),
        correction: None,
        author: "ada".to_owned(),
        reach: Reach::default(),
    };
    let memory =
        Memory { id: MemoryId(1), content, created_at: jiff::Timestamp::UNIX_EPOCH, state: MemoryState::Active };
    Catalog::new(vec![Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")], entries.to_vec(), vec![memory], revision)
}

/// The index's file.
fn bytes(index: &Index) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    index.save(folder.path()).unwrap();
    std::fs::read(folder.path().join("index.bin")).unwrap()
}

/// A rebuild after `change`, and what it has to be equal to.
fn check(what: &str, change: impl Fn(&mut Vec<Entry>)) {
    let mut entries = tables();
    let first = Index::build(&catalog(&entries, 1), &Letters).unwrap();
    change(&mut entries);
    let now = catalog(&entries, 2);
    let rebuilt = Index::rebuild(&now, &Letters, &first).unwrap();
    assert!(bytes(&rebuilt) == bytes(&Index::build(&now, &Letters).unwrap()), "{what}");
    entries = tables();
    entries.iter_mut().for_each(|entry| entry.revision = 3);
    let back = catalog(&entries, 3);
    let rebuilt = Index::rebuild(&back, &Letters, &rebuilt).unwrap();
    assert!(bytes(&rebuilt) == bytes(&Index::build(&back, &Letters).unwrap()), "{what}, taken back");
}

#[test]
fn a_rebuild_after_any_change_is_what_a_build_from_nothing_gives() {
    check("nothing", |_| {});
    check("a description", |entries| {
        entries[0].overrides.0.insert("purpose".to_owned(), "people who bought a zeppelin".to_owned());
        entries[0].revision = 2;
    });
    check("a column", |entries| {
        entries[1] = table("products", &["id", "label", "aardvark"], &[]).at_revision(2);
    });
    check("a key more", |entries| {
        entries[6] = table("notes", &["id", "orders_id"], &["orders"]).at_revision(2);
    });
    check("a key less", |entries| {
        entries[3] = table("lines", &["id", "orders_id"], &["orders"]).at_revision(2);
    });
    check("a table that is gone", |entries| {
        entries.remove(2);
    });
    check("a table that has come", |entries| {
        entries.push(table("addresses", &["id", "customers_id"], &["customers"]).at_revision(2));
    });
    check("another day", |entries| {
        entries.push(table("events_20240103", &["id", "kind", "more"], &[]).at_revision(2));
    });
    check("everything gone but one", |entries| entries.truncate(1));
}

#[test]
fn only_what_changed_is_read_again() {
    let mut entries = tables();
    let first = Index::build(&catalog(&entries, 1), &Letters).unwrap();
    // Without a revision nobody can know of it, and what was there is kept.
    entries[6].overrides.0.insert("purpose".to_owned(), "an unheard of change".to_owned());
    let rebuilt = Index::rebuild(&catalog(&entries, 2), &Letters, &first).unwrap();
    assert!(rebuilt.chunks().all(|chunk| !chunk.text.contains("unheard")));
}

#[test]
fn nothing_is_taken_over_from_another_catalog() {
    let stored = |comment: &str| {
        let store = Store::in_memory().unwrap();
        store.put_source(&Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")).unwrap();
        let notes = table("notes", &["id"], &[]).table;
        let notes = Table { comment: Some(comment.to_owned()), ..Table::clone(&notes) };
        store.put_structure("shop", &[notes]).unwrap();
        store.catalog().unwrap()
    };
    let (one, other) = (stored("of the first"), stored("of the second"));
    assert_eq!(one.revision(), other.revision());
    let first = Index::build(&one, &Letters).unwrap();
    assert!(first.is_current(&one, &Letters) && !first.is_current(&other, &Letters));
    let second = Index::rebuild(&other, &Letters, &first).unwrap();
    assert!(second.chunks().any(|chunk| chunk.text.contains("of the second")));
}

#[test]
fn values_of_a_column_that_was_closed_by_another_table_are_not_taken_over() {
    let entries = tables();
    let first = Index::build(&catalog(&entries, 1), &Letters).unwrap();
    let products = TableId::new("shop", "products");
    let has_label = |index: &Index| {
        let in_text = index.chunks().any(|chunk| chunk.table == products && chunk.text.contains("status one"));
        let in_values = index.value_matches("status one").iter().any(|found| found.table == products);
        assert_eq!(in_text, in_values);
        in_text
    };
    assert!(has_label(&first));
    // The table itself was written long ago.
    let columns =
        vec![MadeColumn { table: products.clone(), column: "status".to_owned(), origins: None, is_computed: false }];
    let now = catalog(&entries, 2).with_lineage(&Lineage { columns, ..Lineage::default() });
    let rebuilt = Index::rebuild(&now, &Letters, &first).unwrap();
    assert!(!has_label(&rebuilt));
    assert!(bytes(&rebuilt) == bytes(&Index::build(&now, &Letters).unwrap()));
    assert!(has_label(&Index::rebuild(&catalog(&entries, 3), &Letters, &rebuilt).unwrap()));
}

/// Rules of that mark by which everything may be shown, or nothing.
struct Rules(&'static str);

impl MaskRules for Rules {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        let verdict = if self.0 == "all" { StructureVerdict::Kept } else { StructureVerdict::Open };
        vec![verdict; table.columns.len()]
    }

    fn mark(&self) -> String {
        self.0.to_owned()
    }
}

#[test]
fn nothing_is_taken_over_from_other_rules_of_what_may_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    let read = |mark| {
        let store = Store::open(&path, Arc::new(Rules(mark))).unwrap();
        if store.catalog().unwrap().entries().is_empty() {
            store.put_source(&Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")).unwrap();
            store.put_structure("shop", &[Table::clone(&table("notes", &["id"], &[]).table)]).unwrap();
        }
        store.catalog().unwrap()
    };
    let (all, none) = (read("all"), read("none"));
    assert_eq!(all.revision(), none.revision());
    let first = Index::build(&all, &Letters).unwrap();
    assert!(first.is_current(&all, &Letters) && !first.is_current(&none, &Letters));
    let second = Index::rebuild(&none, &Letters, &first).unwrap();
    let has_label = |index: &Index| index.chunks().any(|chunk| chunk.text.contains("id one"));
    assert_eq!([has_label(&first), has_label(&second)], [true, false]);
}
