#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use catalog::{Catalog, Column, Table, TableId};
use llm::{Embedder, LlmError};

use crate::testing::examined;
use crate::{Index, IndexError, UnitNumber};

/// Counts letters: enough to tell vectors apart.
struct Letters(&'static str);

impl Embedder for Letters {
    fn name(&self) -> &str {
        self.0
    }

    fn dimensions(&self) -> usize {
        26
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        let vector = |text: &&str| {
            let count = |letter: u8| text.bytes().filter(|byte| byte.to_ascii_lowercase() == letter).count() as f32;
            let counts: Vec<f32> = (b'a'..=b'z').map(count).collect();
            let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1.0);
            counts.iter().map(|count| count / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn catalog(revision: u64, tables: &[&str]) -> Catalog {
    let column = |name: &str| Column { enum_values: vec!["open".into(), "paid".into()], ..Column::new(name, "TEXT") };
    let entry = |name: &&str| {
        examined(Table {
            columns: vec![column("status"), column(&format!("{name}_id"))],
            ..Table::new(TableId::new("shop", *name))
        })
    };
    Catalog::new(Vec::new(), tables.iter().map(entry).collect(), Vec::new(), revision)
}

#[test]
fn what_was_saved_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::build(&catalog(1, &["orders", "invoices"]), &Letters("one")).unwrap();
    index.save(folder.path()).unwrap();
    let loaded = Index::load(folder.path()).unwrap();
    let names = |index: &Index| -> Vec<(String, f32)> {
        index.search("paid invoices", 5, &Letters("one")).iter().map(|hit| (hit.chunk.name(), hit.score)).collect()
    };
    assert_eq!(names(&index), names(&loaded));
    assert_eq!(names(&index)[0].0, "shop.invoices#table");
    assert_eq!(index.value_matches("paid ones"), loaded.value_matches("paid ones"));
    assert!(!index.value_matches("paid ones").is_empty());
}

#[test]
fn another_revision_or_embedder_makes_it_out_of_date() {
    let index = Index::build(&catalog(1, &["orders"]), &Letters("one")).unwrap();
    assert!(index.is_current(&catalog(1, &["orders"]), &Letters("one")));
    assert!(!index.is_current(&catalog(2, &["orders"]), &Letters("one")));
    assert!(!index.is_current(&catalog(1, &["orders"]), &Letters("two")));
    let hits = index.search("orders", 3, &Letters("two"));
    assert!(hits.iter().all(|hit| hit.dense_rank.is_none()), "vectors of two embedders aren't compared");
}

#[test]
fn a_rebuild_takes_vectors_over_and_changes_nothing_else() {
    let first = Index::build(&catalog(1, &["orders"]), &Letters("one")).unwrap();
    let fresh = Index::build(&catalog(2, &["orders", "invoices"]), &Letters("one")).unwrap();
    let rebuilt = Index::rebuild(&catalog(2, &["orders", "invoices"]), &Letters("one"), &first).unwrap();
    let bytes = |index: &Index| {
        let folder = tempfile::tempdir().unwrap();
        index.save(folder.path()).unwrap();
        std::fs::read(folder.path().join("index.bin")).unwrap()
    };
    assert!(bytes(&fresh) == bytes(&rebuilt));
    assert!(rebuilt.is_current(&catalog(2, &[]), &Letters("one")));
}

#[test]
fn missing_foreign_and_damaged_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Index::load(folder.path()), Err(IndexError::Missing { .. })));
    Index::build(&catalog(1, &["orders"]), &Letters("one")).unwrap().save(folder.path()).unwrap();
    let path = folder.path().join("index.bin");
    let good = std::fs::read(&path).unwrap();
    let reason = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        let error = Index::load(folder.path()).unwrap_err();
        assert_eq!(error.code(), "index_unusable");
        error.to_string()
    };
    assert!(reason(b"nonsense").contains("no index of this machine"));
    let mut other = good.clone();
    other[8] = 231;
    assert!(reason(&other).contains("format 231"));
    assert!(reason(&good[..good.len() / 2]).contains("shorter"));
    std::fs::write(&path, &good).unwrap();
    Index::load(folder.path()).unwrap();
}

#[test]
fn whatever_byte_is_damaged_nothing_panics() {
    let folder = tempfile::tempdir().unwrap();
    Index::build(&catalog(1, &["orders", "invoices"]), &Letters("one")).unwrap().save(folder.path()).unwrap();
    let path = folder.path().join("index.bin");
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(3) {
        let mut bytes = good.clone();
        bytes[at] ^= 0xff;
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
        if let Ok(index) = Index::load(folder.path()) {
            index.search("paid invoices", 5, &Letters("one"));
            index.value_matches("paid ones");
            let question = index.question("orders that are paid", Some(&Letters("one")));
            index.table_scores(&question, 9);
            index.column_scores(&question, UnitNumber(1));
        }
    }
}
