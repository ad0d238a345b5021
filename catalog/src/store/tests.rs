use std::sync::Arc;

use super::*;
use crate::model::glossary::{Term, TermFault, TermOrigin, TermState};
use crate::model::last_update::LastUpdate;
use crate::model::memory::{MemoryId, MemoryKind, MemoryState, MemoryUse, NewMemory, Reach};
use crate::model::profile::SampleMethod;
use crate::model::structure::{Column, ForeignKey, KeyEvidence, KeyOrigin};
use crate::model::usage::UsedColumn;
use dialect::Dialect;

fn source() -> Source {
    Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")
}

fn table(name: &str, columns: &[&str]) -> Table {
    let columns = columns.iter().map(|name| Column::new(*name, "TEXT"));
    Table { columns: columns.collect(), ..Table::new(TableId::new("shop", name)) }
}

fn profile(table: &Table) -> TableProfile {
    TableProfile { rows_seen: 3, ..TableProfile::new(table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH) }
}

fn opened(path: &Path) -> Store {
    Store::open(path, Arc::new(NoMaskRules)).unwrap()
}

fn store_with(tables: &[Table]) -> Store {
    let store = Store::in_memory().unwrap();
    store.put_source(&source()).unwrap();
    store.put_structure("shop", tables).unwrap();
    store
}

#[test]
fn what_was_stored_is_read_back() {
    let orders = table("orders", &["id", "status"]);
    let store = store_with(std::slice::from_ref(&orders));
    store.put_profile(&profile(&orders)).unwrap();
    let catalog = store.catalog().unwrap();
    let entry = catalog.entry(&orders.id).unwrap();
    assert_eq!(*entry.table, orders);
    assert_eq!(entry.profile(), Some(&profile(&orders)));
    assert_eq!(catalog.sources(), [source()]);
}

#[test]
fn structure_changes_are_told_apart() {
    let store = store_with(&[table("a", &["x"]), table("b", &["x"]), table("c", &["x"])]);
    let changes = store.put_structure("shop", &[table("a", &["x"]), table("b", &["x", "y"]), table("d", &["x"])]);
    let id = |name: &str| TableId::new("shop", name);
    assert_eq!(
        changes.unwrap(),
        [
            StructureChange::Unchanged(id("a")),
            StructureChange::Changed(id("b")),
            StructureChange::Added(id("d")),
            StructureChange::Dropped(id("c")),
        ]
    );
}

#[test]
fn an_unchanged_table_keeps_its_inferred_keys() {
    let mut orders = table("orders", &["customer_id"]);
    let store = store_with(std::slice::from_ref(&orders));
    let evidence =
        KeyEvidence { name_fit: 1.0, joined_in: 0, inclusion: Some(1.0), values_checked: 9, confidence: 0.9 };
    orders.foreign_keys.push(ForeignKey {
        columns: vec!["customer_id".into()],
        ref_table: TableId::new("shop", "customers"),
        ref_columns: vec!["id".into()],
        origin: KeyOrigin::Inferred(evidence),
    });
    store.put_table(&orders).unwrap();
    store.put_structure("shop", &[table("orders", &["customer_id"])]).unwrap();
    assert_eq!(*store.catalog().unwrap().entry(&orders.id).unwrap().table, orders);
}

#[test]
fn a_table_that_is_gone_is_kept_until_its_removal_is_asked_for() {
    let (a, b) = (table("a", &["x"]), table("b", &["x"]));
    let store = store_with(&[a.clone(), b.clone()]);
    store.put_profile(&profile(&b)).unwrap();
    store.put_structure("shop", std::slice::from_ref(&a)).unwrap();
    assert!(store.catalog().unwrap().entry(&b.id).is_none());
    let dropped: Vec<TableId> = store.dropped("shop").unwrap().into_iter().map(|(id, _)| id).collect();
    assert_eq!(dropped, std::slice::from_ref(&b.id));
    let changes = store.put_structure("shop", &[a.clone(), b.clone()]).unwrap();
    assert_eq!(changes[1], StructureChange::Added(b.id.clone()));
    assert_eq!(store.catalog().unwrap().entry(&b.id).unwrap().profile(), Some(&profile(&b)));
    store.put_structure("shop", std::slice::from_ref(&a)).unwrap();
    assert_eq!(store.remove_dropped("shop").unwrap(), 1);
    assert!(store.dropped("shop").unwrap().is_empty());
    assert_eq!(store.put_structure("shop", &[a]).unwrap().len(), 1);
}

#[test]
fn overrides_outlive_their_table() {
    let orders = table("orders", &["id"]);
    let store = store_with(std::slice::from_ref(&orders));
    let written = Overrides([("purpose".to_owned(), "Ours.".to_owned())].into());
    store.put_overrides(&orders.id, &written).unwrap();
    store.put_structure("shop", &[]).unwrap();
    store.put_structure("shop", std::slice::from_ref(&orders)).unwrap();
    let catalog = store.catalog().unwrap();
    assert_eq!(catalog.entry(&orders.id).unwrap().summary(), Some("Ours."));
}

#[test]
fn overrides_are_replaced_where_they_are_what_was_expected() {
    let orders = table("orders", &["id"]);
    let store = store_with(std::slice::from_ref(&orders));
    let texts = |text: &str| Overrides([("purpose".to_owned(), text.to_owned())].into());
    let none = Overrides::default();
    assert!(store.replace_overrides(&orders.id, &none, &texts("One.")).unwrap());
    assert!(!store.replace_overrides(&orders.id, &none, &texts("Two.")).unwrap());
    assert!(store.replace_overrides(&orders.id, &texts("One."), &texts("Two.")).unwrap());
    assert_eq!(store.catalog().unwrap().entry(&orders.id).unwrap().overrides, texts("Two."));
}

#[test]
fn an_undone_memory_stays_in_the_list() {
    let store = store_with(&[]);
    let content = NewMemory {
        source: "shop".into(),
        kind: MemoryKind::Approved,
        question: "how many?".into(),
        sql: "SELECT 1".into(),
        correction: None,
        author: "ann".into(),
        reach: Reach::default(),
    };
    let memory = store.add_memory(content).unwrap();
    store.undo_memory(memory.id, "bob").unwrap();
    let catalog = store.catalog().unwrap();
    assert!(matches!(&catalog.memories()[0].state, MemoryState::Undone { by, .. } if by == "bob"));
    let missing = store.undo_memory(MemoryId(99), "bob").unwrap_err();
    assert_eq!(missing.code(), "not_found");
}

#[test]
fn a_replaced_memory_says_by_what_and_uses_are_kept() {
    let store = store_with(&[]);
    let content = |sql: &str, reach: Reach| NewMemory {
        source: "shop".into(),
        kind: MemoryKind::Approved,
        question: "how many?".into(),
        sql: sql.into(),
        correction: None,
        author: "ann".into(),
        reach,
    };
    let first = store.add_memory(content("SELECT 1", Reach::default())).unwrap();
    let expires_at = Some(Timestamp::UNIX_EPOCH);
    let better = store.replace_memory(first.id, content("SELECT 2", Reach { private: true, expires_at })).unwrap();
    let revision = store.revision().unwrap();
    let used = |at: i64| MemoryUse {
        memory: first.id,
        at: Timestamp::from_second(at).unwrap(),
        asker: Some("bob".into()),
        question: "how many of them?".into(),
        used_as: "answer".into(),
    };
    store.note_uses(&(0..60).map(used).collect::<Vec<_>>()).unwrap();
    let uses = store.memory_uses(first.id).unwrap();
    assert_eq!((uses.len(), &uses[0]), (50, &used(59)), "the last ones");
    assert_eq!(store.revision().unwrap(), revision);
    let catalog = store.catalog().unwrap();
    let replaced = catalog.memory(first.id).unwrap();
    assert!(matches!(&replaced.state, MemoryState::Replaced { by, with, .. } if by == "ann" && *with == better.id));
    let (before, now) = (Timestamp::from_second(-1).unwrap(), Timestamp::UNIX_EPOCH);
    let better = catalog.memory(better.id).unwrap();
    let counts = [Some("ann"), Some("bob"), None].map(|asker| better.counts_for(asker, before));
    assert_eq!((counts, better.is_active(now), replaced.is_active(before)), ([true, false, false], false, false));
    assert_eq!(
        store.replace_memory(MemoryId(99), content("SELECT 3", Reach::default())).unwrap_err().code(),
        "not_found"
    );
    assert_eq!(store.catalog().unwrap().memories().len(), 2, "nothing is half done");
}

#[test]
fn what_people_say_of_a_term_outlives_proposals() {
    let a = table("a", &["x"]);
    let store = store_with(std::slice::from_ref(&a));
    let term = |name: &str, origin: TermOrigin, state: TermState| Term {
        source: "shop".into(),
        name: name.into(),
        synonyms: Vec::new(),
        definition: None,
        table: Some(a.id.clone()),
        expression: Some("sum(x)".into()),
        condition: None,
        columns: vec![UsedColumn { table: a.id.clone(), column: "x".into() }],
        origin,
        evidence: None,
        state,
    };
    let approved = |at| TermState::Approved { by: "ann".into(), at };
    let proposed = |name: &str| term(name, TermOrigin::Usage, TermState::Proposed);
    let names = || {
        let catalog = store.catalog().unwrap();
        catalog.all_terms().iter().map(|term| format!("{}: {}", term.name, term.said_by())).collect::<Vec<_>>()
    };
    store
        .put_proposals("shop", &[proposed("revenue"), proposed("churn"), term("mrr", TermOrigin::Dbt, approved(None))])
        .unwrap();
    assert_eq!(names(), ["churn: proposed", "mrr: ann", "revenue: proposed"]);
    store.put_profiled(&a, &profile(&a)).unwrap();
    let revision = store.revision().unwrap();
    store
        .put_proposals("shop", &[term("mrr", TermOrigin::Dbt, approved(None)), proposed("revenue"), proposed("churn")])
        .unwrap();
    assert_eq!(store.revision().unwrap(), revision, "nothing new was said");
    store.put_term(&term("Revenue ", TermOrigin::Usage, approved(Some(Timestamp::UNIX_EPOCH)))).unwrap();
    store
        .put_term(&term(
            "churn",
            TermOrigin::Usage,
            TermState::Rejected { by: "bob".into(), at: Timestamp::UNIX_EPOCH },
        ))
        .unwrap();
    store.put_proposals("shop", &[proposed("churn"), proposed("REVENUE"), proposed("basket")]).unwrap();
    assert_eq!(names(), ["basket: proposed", "churn: rejected by bob, 1970-01-01", "Revenue : ann, 1970-01-01"]);
    let catalog = store.catalog().unwrap();
    assert_eq!(catalog.fault_of(&catalog.all_terms()[2]), None);
    store.put_structure("shop", &[table("a", &["y"])]).unwrap();
    let catalog = store.catalog().unwrap();
    let gone = TermFault::ColumnGone(UsedColumn { table: a.id.clone(), column: "x".into() });
    assert_eq!(catalog.fault_of(&catalog.all_terms()[2]), Some(gone));
    assert_eq!(
        (store.remove_term("shop", "CHURN").unwrap(), store.remove_term("shop", "churn").unwrap()),
        (true, false)
    );
}

#[test]
fn what_says_something_new_raises_the_revision() {
    let a = table("a", &["x"]);
    let store = store_with(std::slice::from_ref(&a));
    let mut revision = store.revision().unwrap();
    let mut has_risen = || {
        let before = std::mem::replace(&mut revision, store.revision().unwrap());
        revision > before
    };
    store.put_source(&Source { indexed_at: Some(Timestamp::UNIX_EPOCH), ..source() }).unwrap();
    store.put_structure("shop", std::slice::from_ref(&a)).unwrap();
    assert!(!has_risen(), "the same again");
    store.put_source(&Source { description: Some("Ours.".into()), ..source() }).unwrap();
    assert!(has_risen());
    store.put_structure("shop", &[table("a", &["x", "y"])]).unwrap();
    assert!(has_risen());
    store.put_profile(&profile(&a)).unwrap();
    assert!(has_risen());
    assert_eq!(store.remove_dropped("shop").unwrap(), 0);
    assert!(!has_risen());
}

#[test]
fn a_file_that_is_no_catalog_is_reported_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "this is not a database, it is a letter to a friend").unwrap();
    assert_eq!(Store::open(&text, Arc::new(NoMaskRules)).unwrap_err().code(), "catalog_corrupt");
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("this is"));

    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert_eq!(Store::open(&foreign, Arc::new(NoMaskRules)).unwrap_err().code(), "catalog_corrupt");
}

#[test]
fn several_may_make_the_same_catalog_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| opened(&path).catalog().unwrap());
            }
        });
    }
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    drop(opened(&path));
    Connection::open(&path).unwrap().pragma_update(None, "user_version", FORMAT_VERSION + 1).unwrap();
    assert_eq!(Store::open(&path, Arc::new(NoMaskRules)).unwrap_err().code(), "catalog_too_new");
}

#[test]
fn what_is_read_later_comes_from_the_same_moment() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(&folder.path().join("catalog.db"));
    let orders = table("orders", &["id"]);
    store.put_source(&source()).unwrap();
    store.put_structure("s", std::slice::from_ref(&orders)).unwrap();
    store.put_profile(&TableProfile { rows_seen: 1, ..profile(&orders) }).unwrap();
    let before = store.catalog().unwrap();
    store.put_profile(&TableProfile { rows_seen: 2, ..profile(&orders) }).unwrap();
    let after = store.catalog().unwrap();
    let seen = |catalog: &Catalog| catalog.entries()[0].profile().map(|profile| profile.rows_seen);
    assert_eq!((seen(&before), seen(&after)), (Some(1), Some(2)));
    let revision = |catalog: &Catalog| catalog.entries()[0].revision;
    assert!(revision(&before) < revision(&after));
    assert_eq!((revision(&before), revision(&after)), (before.revision(), after.revision()));
    store.put_source(&Source { description: Some("another".into()), ..source() }).unwrap();
    let later = store.catalog().unwrap();
    assert!(
        later.revision() > after.revision() && revision(&later) == revision(&after),
        "nothing of the table changed"
    );
}

#[test]
fn a_later_catalog_shares_what_has_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(&folder.path().join("catalog.db"));
    let (orders, lines) = (table("orders", &["id"]), table("lines", &["id"]));
    store.put_source(&source()).unwrap();
    store.put_structure("shop", &[orders.clone(), lines.clone()]).unwrap();
    let first = store.catalog().unwrap();
    store.put_table(&Table { comment: Some("since changed".to_owned()), ..orders.clone() }).unwrap();
    store.put_profile(&profile(&lines)).unwrap();
    let second = store.catalog_after(&first).unwrap();
    let third = store.catalog_after(&second).unwrap();
    let shared = |one: &Catalog, other: &Catalog, id| {
        Arc::ptr_eq(&one.entry(id).unwrap().table, &other.entry(id).unwrap().table)
    };
    assert_eq!(second.entry(&orders.id).unwrap().table.comment.as_deref(), Some("since changed"));
    assert_eq!(second.entry(&lines.id).unwrap().profile(), Some(&profile(&lines)));
    assert!(!shared(&first, &second, &orders.id));
    assert!(shared(&second, &third, &orders.id) && shared(&second, &third, &lines.id));
    assert_eq!(second.entries(), store.catalog().unwrap().entries());
    let elsewhere = opened(&folder.path().join("other.db"));
    elsewhere.put_source(&source()).unwrap();
    elsewhere.put_structure("shop", &[orders.clone(), lines.clone()]).unwrap();
    elsewhere.put_table(&Table { comment: Some("of another catalog".to_owned()), ..orders.clone() }).unwrap();
    assert_eq!(elsewhere.revision().unwrap(), second.revision() - 1);
    assert!(!shared(&second, &elsewhere.catalog_after(&second).unwrap(), &orders.id));
}

/// One stored file per format version: what an older Periplus wrote must open.
#[test]
fn files_of_every_past_format_open() {
    for version in 1..=FORMAT_VERSION {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formats/v{version}.db"));
        std::fs::copy(&stored, &path).unwrap();
        let catalog = opened(&path).catalog().unwrap();
        assert_eq!(catalog.entries().len(), 2, "format {version}");
        assert!(catalog.entries().iter().all(|entry| entry.profile().is_some()), "format {version}");
    }
}

/// What format 5 said in a sentence is read as what it says; a row that isn't as it was written is damaged as before.
#[test]
fn sentences_of_format_5_become_what_they_say() {
    for (written_since, expected) in [(false, Some("newest value of column paid_on")), (true, None)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        let orders =
            Table { last_update: Some(LastUpdate::of_engine(jiff::Timestamp::UNIX_EPOCH)), ..table("orders", &["id"]) };
        let store = opened(&path);
        store.put_source(&source()).unwrap();
        store.put_structure("shop", std::slice::from_ref(&orders)).unwrap();
        drop(store);
        let file = Connection::open(&path).unwrap();
        let (id, body): (String, String) =
            file.query_row("SELECT id, body FROM tables", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let old = body.replace(r#"{"from":"engine"}"#, r#""newest value of column paid_on""#);
        assert_ne!(body, old);
        let seal = super::seal("tables", &id, &old);
        let old = if written_since { old.replace("paid_on", "made_up") } else { old };
        file.execute("UPDATE tables SET body = ?1, seal = ?2", [&old, &seal]).unwrap();
        file.pragma_update(None, "user_version", 5).unwrap();
        drop(file);
        let catalog = opened(&path).catalog().unwrap();
        let update = catalog.entries().first().and_then(|entry| entry.table.last_update.clone());
        assert_eq!(update.map(|update| update.evidence.to_string()).as_deref(), expected);
        assert_eq!(catalog.damaged().is_empty(), !written_since);
    }
}
