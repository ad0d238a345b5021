//! What becomes of what people said when the catalog's file, its log or the witness is replaced, cut or deleted.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{Lacking, Testimony};
use crate::error::CatalogError;
use crate::model::masks::{Decision, Exposure, MaskedBy};
use crate::model::structure::Source;
use crate::store::Store;
use crate::store::damage_tests::{Emails, Made, SECRET, masked_by, people, profile, ruling};
use dialect::Dialect;

fn open(path: &Path) -> Store {
    Store::open(path, Arc::new(Emails)).unwrap()
}

/// Who masks that column by the catalog in this file.
fn said(store: &Store, made: &Made, column: &str) -> Option<MaskedBy> {
    masked_by(store.catalog().unwrap().entry(&made.id).unwrap().exposure(column))
}

fn lacking(testimony: &Testimony) -> Vec<(Lacking, usize)> {
    testimony.notes.iter().map(|note| (note.lacking, note.rulings)).collect()
}

/// The catalog's file with nothing in its log.
fn copied(made: &Made) -> Vec<u8> {
    assert!(made.store.erase_removed().unwrap());
    fs::read(&made.path).unwrap()
}

/// Puts an older file in the place of the catalog's, as somebody does who restores a backup.
fn put_in_place(made: &Made, older: &[u8]) {
    let aside = made.path.with_extension("older");
    fs::write(&aside, older).unwrap();
    fs::rename(aside, &made.path).unwrap();
    for log in ["db-wal", "db-shm"] {
        let _ = fs::remove_file(made.path.with_extension(log));
    }
}

#[test]
fn a_mask_outlives_an_older_copy_of_the_catalog_and_its_values_are_erased_again() {
    let made = Made::new();
    made.rule("note", Decision::Release).unwrap();
    let table = people(&["id", "email", "contact", "note"]);
    made.store.put_profiled(&table, &profile(&table)).unwrap();
    let older = copied(&made);
    assert!(older.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes()));
    made.rule("note", Decision::Mask).unwrap();
    let origin = made.catalog().origin().to_owned();
    put_in_place(&made, &older);
    let store = open(&made.path);
    assert_eq!(said(&store, &made, "note"), Some(MaskedBy::Person));
    assert_eq!(lacking(&store.testimony().unwrap()), [(Lacking::Catalog, 1)]);
    assert_ne!(store.catalog().unwrap().origin(), origin, "what was derived may be of another state");
    assert!(store.erase_removed().unwrap());
    assert!(!fs::read(&made.path).unwrap().windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes()));
    drop(store);
    assert_eq!(lacking(&open(&made.path).testimony().unwrap()).len(), 1, "once");
}

#[test]
fn a_mask_outlives_a_log_that_is_gone_or_damaged() {
    let made = Made::new();
    let older = copied(&made);
    made.rule("id", Decision::Mask).unwrap();
    let log = fs::read(made.path.with_extension("db-wal")).unwrap();
    let witness = fs::read(made.store.witness_path().unwrap()).unwrap();
    let mut damaged = log.clone();
    // Behind the header of the log and that of its first page.
    damaged[32 + 24 + 100] ^= 1;
    for (case, log, puts_back) in [("gone", None, 1), ("damaged", Some(damaged), 1), ("whole", Some(log), 0)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        fs::write(&path, &older).unwrap();
        if let Some(log) = log {
            fs::write(path.with_extension("db-wal"), log).unwrap();
        }
        fs::write(path.with_extension("rulings.jsonl"), &witness).unwrap();
        let store = open(&path);
        assert_eq!(said(&store, &made, "id"), Some(MaskedBy::Person), "{case}");
        assert_eq!(store.testimony().unwrap().notes.len(), puts_back, "{case}");
    }
}

#[test]
fn a_witness_that_is_deleted_is_written_anew() {
    let made = Made::new();
    made.rule("email", Decision::Mask).unwrap();
    made.rule("email", Decision::Release).unwrap();
    let made = made.without_witness();
    let store = open(&made.path);
    assert_eq!(lacking(&store.testimony().unwrap()), [(Lacking::Witness, 3)]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(store.witness_path().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // It is all that is left of a catalog that is deleted; what was said last at one moment goes on being the last.
    drop(store);
    for file in ["db", "db-wal", "db-shm"] {
        let _ = fs::remove_file(made.path.with_extension(file));
    }
    let store = open(&made.path);
    let tables = [people(&["id", "email", "contact", "note"])];
    store.put_source(&Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")).unwrap();
    store.put_structure("shop", &tables).unwrap();
    store.put_profiled(&tables[0], &profile(&tables[0])).unwrap();
    assert_eq!(said(&store, &made, "note"), Some(MaskedBy::Person));
    assert_eq!(*store.catalog().unwrap().entry(&made.id).unwrap().exposure("email"), Exposure::Open);
}

#[test]
fn both_gone_is_a_fresh_start() {
    let made = Made::new().without_witness();
    for file in ["db", "db-wal", "db-shm"] {
        let _ = fs::remove_file(made.path.with_extension(file));
    }
    let store = open(&made.path);
    assert!(store.catalog().unwrap().entries().is_empty() && !store.witness_path().unwrap().exists());
}

#[test]
fn a_witness_that_is_cut_or_changed_anywhere_loses_nothing() {
    let made = Made::new();
    made.rule("id", Decision::Mask).unwrap();
    let older = copied(&made);
    let path = made.store.witness_path().unwrap().to_owned();
    let whole = fs::read(&path).unwrap();
    let cut = (0..whole.len()).map(|length| (format!("cut to {length}"), whole[..length].to_vec()));
    let changed = (0..whole.len()).step_by(7).map(|place| {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        (format!("changed at {place}"), changed)
    });
    for (case, witness) in cut.chain(changed) {
        fs::write(&path, &witness).unwrap();
        let store = open(&made.path);
        assert!(said(&store, &made, "id").is_some() && said(&store, &made, "note").is_some(), "{case}");
        // What the catalog knew is in the witness again: without the catalog it is still known.
        let again = store.testimony().unwrap();
        assert_eq!(again.said.values().map(|rulings| rulings.0.len()).sum::<usize>(), 2, "{case}");
        drop(store);
        put_in_place(&made, &older);
    }
}

#[test]
fn several_may_say_something_at_once() {
    let made = Made::new();
    let columns: Vec<String> = (0..40).map(|number| format!("column_{number}")).collect();
    std::thread::scope(|scope| {
        for share in columns.chunks(10) {
            let (path, id) = (&made.path, &made.id);
            scope.spawn(move || {
                for column in share {
                    let said = ruling(column, Decision::Mask);
                    open(path).add_rulings(&[(id.clone(), said)]).unwrap();
                }
            });
        }
    });
    let testimony = made.store.testimony().unwrap();
    let catalog = made.catalog();
    let rulings = catalog.entry(&made.id).unwrap().rulings().unwrap();
    let is_said = |column: &&str| rulings.0.iter().any(|ruling| ruling.column == **column);
    assert!(columns.iter().all(|column| is_said(&column.as_ref())));
    assert_eq!((rulings.0.len(), testimony.unreadable, testimony.notes.len()), (41, 0, 0));
    assert!(testimony.said.values().eq([rulings]));
}

#[test]
fn who_holds_the_catalog_sees_what_others_say_and_what_they_put_in_its_place() {
    let mut made = Made::new();
    assert!(made.store.follow().unwrap(), "a ruling was added since it was opened");
    assert!(!made.store.follow().unwrap(), "nothing has happened");
    let older = copied(&made);
    let before = made.catalog();
    open(&made.path).add_rulings(&[(made.id.clone(), ruling("id", Decision::Mask))]).unwrap();
    assert!(made.store.follow().unwrap() && !made.store.is_current(&before).unwrap());
    assert_eq!(masked_by(&made.exposure("id")), Some(MaskedBy::Person));
    // A catalog that was read says what it said, whatever becomes of the file.
    let held = made.catalog();
    fs::write(&made.path, &older).unwrap();
    assert_eq!(masked_by(held.entry(&made.id).unwrap().exposure("id")), Some(MaskedBy::Person));
    drop((before, held));
    put_in_place(&made, &older);
    assert!(made.store.follow().unwrap());
    assert_eq!(masked_by(&made.exposure("id")), Some(MaskedBy::Person));
    // It has noted what it put back.
    made.store.follow().unwrap();
    assert!(!made.store.follow().unwrap());
    fs::remove_file(&made.path).unwrap();
    assert!(!made.store.follow().unwrap() && !made.path.exists(), "looking makes none");
}

#[test]
fn what_cannot_be_read_in_the_catalog_is_taken_from_the_witness() {
    for damage in ["UPDATE rulings SET body = '[]'", "UPDATE rulings SET seal = ''", "DELETE FROM rulings"] {
        let made = Made::new();
        made.sql(damage);
        let store = open(&made.path);
        assert_eq!(said(&store, &made, "note"), Some(MaskedBy::Person), "{damage}");
        assert!(store.catalog().unwrap().all_damage().is_empty(), "{damage}");
        store.add_rulings(&[(made.id.clone(), ruling("id", Decision::Mask))]).unwrap();
        assert_eq!(said(&store, &made, "id"), Some(MaskedBy::Person), "{damage}");
    }
}

#[test]
fn a_witness_that_cannot_be_opened_opens_nothing() {
    let made = Made::new().without_witness();
    fs::create_dir(made.store.witness_path().unwrap()).unwrap();
    let failed = |error: CatalogError| error.code() == "catalog_witness";
    assert!(failed(Store::open(&made.path, Arc::new(Emails)).unwrap_err()));
    assert!(failed(made.store.catalog().unwrap_err()));
    assert!(failed(made.rule("id", Decision::Mask).unwrap_err()));
}
