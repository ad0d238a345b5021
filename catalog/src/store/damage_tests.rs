//! What becomes of masks when parts of a catalog are damaged, changed or missing.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::model::description::{Author, Granularity};
use crate::model::masks::{
    Decision, Exposure, Lineage, MadeColumn, MadeRows, Mask, MaskedBy, NOT_FOLLOWED, RowsBy, Ruling, StructureVerdict,
};
use crate::model::memory::{NewMemory, Reach};
use crate::model::profile::{ColumnProfile, KnownValues, SampleMethod};
use crate::model::structure::{Column, Exactness, ForeignKey, KeyEvidence, KeyOrigin, RowCount, RowPolicy};
use dialect::Dialect;

/// Masks what is called `email`, by name. Columns of `cards` are made from those of `people`, those of `letters` from
/// those of `cards` of the same name.
pub(super) struct Emails;

impl MaskRules for Emails {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        let of = |column: &Column| match column.name.as_str() {
            "email" => StructureVerdict::Masked(Mask {
                by: MaskedBy::Structure,
                reason: "name matches `email`".to_owned(),
                confidence: 1.0,
                hides_names: false,
            }),
            _ => StructureVerdict::Open,
        };
        table.columns.iter().map(of).collect()
    }

    fn hides_rows(&self, table: &TableId) -> bool {
        table.name == "kept_back"
    }

    fn lineage(&self, catalog: &Catalog) -> Lineage {
        let entries =
            catalog.entries().iter().filter(|entry| ["cards", "letters"].contains(&entry.table.id.name.as_str()));
        let of = |entry: &Entry| {
            let id = entry.table.id.clone();
            let made = entry.table.columns.iter().map(move |column| {
                let origin = match (id.name.as_str(), column.name.as_str()) {
                    ("cards", "label") => ("people", "email"),
                    ("cards", "remark") => ("people", "note"),
                    ("cards", "later") => ("people", "since"),
                    ("cards", "number") => ("people", "id"),
                    ("letters", name) => ("cards", name),
                    _ => {
                        return MadeColumn {
                            table: id.clone(),
                            column: column.name.clone(),
                            origins: None,
                            is_computed: false,
                        };
                    }
                };
                let origins = Some(vec![(TableId::new("shop", origin.0), origin.1.to_owned())]);
                MadeColumn { table: id.clone(), column: column.name.clone(), origins, is_computed: false }
            });
            made.collect::<Vec<_>>()
        };
        let over = catalog.entries().iter().filter(|entry| entry.table.id.name == "over_it");
        let reads = vec![TableId::new("shop", "kept_back")];
        let rows = over.map(|entry| MadeRows {
            table: entry.table.id.clone(),
            deciding: Some(Vec::new()),
            reads: reads.clone(),
            by: RowsBy::Itself,
        });
        let under = catalog.entries().iter().filter(|entry| !entry.table.row_policies.is_empty());
        let chosen = under.map(|entry| MadeRows {
            table: entry.table.id.clone(),
            deciding: None,
            reads: Vec::new(),
            by: RowsBy::Itself,
        });
        Lineage { columns: entries.flat_map(of).collect(), rows: rows.chain(chosen).collect(), ..Lineage::default() }
    }
}

pub(super) const SECRET: &str = "ann@secret.example";

pub(super) struct Made {
    _folder: TempDir,
    pub(super) path: PathBuf,
    pub(super) store: Store,
    pub(super) id: TableId,
}

impl Made {
    /// Two tables that have been looked at; of the first, `contact` is masked by its values and `note` by a person.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        let store = Store::open(&path, Arc::new(Emails)).unwrap();
        store.put_source(&Source::new("shop", Dialect::Sqlite, "sqlite:shop.db")).unwrap();
        let tables = [people(&["id", "email", "contact", "note"]), table("orders", &["id", "status"])];
        store.put_structure("shop", &tables).unwrap();
        for table in &tables {
            store.put_profiled(table, &profile(table)).unwrap();
        }
        let id = tables[0].id.clone();
        store.add_rulings(&[(id.clone(), ruling("note", Decision::Mask))]).unwrap();
        Self { _folder: folder, path, store, id }
    }

    pub(super) fn sql(&self, sql: &str) {
        Connection::open(&self.path).unwrap().execute_batch(sql).unwrap();
    }

    pub(super) fn rule(&self, column: &str, decision: Decision) -> Result<(), CatalogError> {
        self.store.add_rulings(&[(self.id.clone(), ruling(column, decision))])
    }

    pub(super) fn without_witness(self) -> Self {
        std::fs::remove_file(self.store.witness_path().unwrap()).unwrap();
        self
    }

    pub(super) fn catalog(&self) -> Catalog {
        self.store.catalog().unwrap()
    }

    pub(super) fn exposure(&self, column: &str) -> Exposure {
        self.catalog().entry(&self.id).unwrap().exposure(column).clone()
    }
}

pub(super) fn people(columns: &[&str]) -> Table {
    table("people", columns)
}

fn table(name: &str, columns: &[&str]) -> Table {
    let columns = columns.iter().map(|name| Column::new(*name, "TEXT"));
    Table { columns: columns.collect(), ..Table::new(TableId::new("shop", name)) }
}

pub(super) fn profile(table: &Table) -> TableProfile {
    let columns = table.columns.iter().map(|column| match column.name.as_str() {
        "contact" => ColumnProfile {
            masked: Some(Mask::by_values("values look like e-mail addresses")),
            ..ColumnProfile::empty("contact")
        },
        "note" => ColumnProfile { values: KnownValues::Some(vec![SECRET.into()]), ..ColumnProfile::empty("note") },
        name => ColumnProfile::empty(name),
    });
    TableProfile {
        rows_seen: 3,
        columns: columns.collect(),
        ..TableProfile::new(table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
    }
}

pub(super) fn ruling(column: &str, decision: Decision) -> Ruling {
    Ruling { column: column.into(), decision, by: "ann".into(), at: Timestamp::UNIX_EPOCH, why: None }
}

pub(super) fn masked_by(exposure: &Exposure) -> Option<MaskedBy> {
    exposure.mask().map(|mask| mask.by)
}

#[test]
fn what_is_made_from_a_masked_column_is_masked_until_it_is_released_itself() {
    let made = Made::new();
    let columns = ["number", "label", "remark", "later", "odd"];
    let views = [table("cards", &columns), table("letters", &columns)];
    let people = made.catalog().entry(&made.id).unwrap().table.as_ref().clone();
    made.store
        .put_structure("shop", &[people, table("orders", &["id", "status"]), views[0].clone(), views[1].clone()])
        .unwrap();
    for view in &views {
        made.store.put_profiled(view, &profile(view)).unwrap();
    }
    let exposures = |view: &Table| made.catalog().entry(&view.id).unwrap().exposures().to_vec();
    for view in &views {
        let [number, label, remark, later, odd] = exposures(view).try_into().unwrap();
        assert_eq!((number, later), (Exposure::Open, Exposure::Unexamined));
        let reason = label.mask().map(|mask| (mask.by, mask.reason.as_str()));
        assert_eq!(reason, Some((MaskedBy::Origin, "made from `people.email`, name matches `email`")));
        assert_eq!(masked_by(&remark), Some(MaskedBy::Origin));
        assert_eq!(odd.mask().unwrap().reason, NOT_FOLLOWED);
    }
    for column in ["label", "odd"] {
        made.store.add_rulings(&[(views[0].id.clone(), ruling(column, Decision::Release))]).unwrap();
    }
    assert_eq!([&exposures(&views[0])[1], &exposures(&views[1])[4]], [&Exposure::Open; 2]);
    made.store.add_rulings(&[(views[1].id.clone(), ruling("label", Decision::Mask))]).unwrap();
    assert_eq!(masked_by(&exposures(&views[1])[1]), Some(MaskedBy::Person));
}

fn described(unseen: &[&str]) -> TableDescription {
    let text = || SECRET.to_owned();
    TableDescription {
        table: TableId::new("shop", "people"),
        summary: text(),
        purpose: text(),
        granularity: Granularity::Other,
        row_meaning: text(),
        when_to_use: Vec::new(),
        questions: Vec::new(),
        business_context: text(),
        columns: Vec::new(),
        queries: Vec::new(),
        notes: text(),
        also_called: Vec::new(),
        author: Author::Rules,
        written_at: Timestamp::UNIX_EPOCH,
        basis: String::new(),
        unseen: unseen.iter().map(|&column| column.to_owned()).collect(),
        failure: None,
    }
}

#[test]
fn a_description_by_somebody_who_saw_what_is_masked_now_is_not_there() {
    let made = Made::new();
    let entry = || made.catalog().entry(&made.id).unwrap().clone();
    made.store.put_description(&described(&["email", "contact"])).unwrap();
    assert_eq!((entry().description(), entry().purpose()), (None, None), "`note` is masked, and was seen");
    made.store.put_description(&described(&["email", "contact", "Note"])).unwrap();
    assert!(entry().description().is_some());
    made.rule("id", Decision::Mask).unwrap();
    assert!(entry().description().is_none());
}

#[test]
fn each_column_is_exposed_as_structure_values_and_people_say() {
    let made = Made::new();
    assert_eq!(made.exposure("id"), Exposure::Open);
    assert_eq!(masked_by(&made.exposure("EMAIL")), Some(MaskedBy::Structure));
    assert_eq!(masked_by(&made.exposure("contact")), Some(MaskedBy::Values));
    assert_eq!(masked_by(&made.exposure("note")), Some(MaskedBy::Person));
    assert_eq!(made.exposure("since"), Exposure::Unexamined);
    assert!(made.catalog().all_damage().is_empty());
    let is_released = |column: &str| made.catalog().entry(&made.id).unwrap().is_released(column);
    for column in ["email", "contact", "note"] {
        assert!(!is_released("id") && !is_released(column), "{column}");
        made.rule(column, Decision::Release).unwrap();
        assert_eq!(made.exposure(column), Exposure::Open, "{column}");
        assert!(is_released(column), "{column}");
    }
}

#[test]
fn what_was_released_since_the_last_look_is_of_unknown_length_until_the_next() {
    let made = Made::new();
    let is_unmeasured = |column: &str| made.catalog().entry(&made.id).unwrap().is_unmeasured(column);
    assert!(!is_unmeasured("email"), "nobody may use it");
    made.rule("email", Decision::Release).unwrap();
    made.rule("contact", Decision::Release).unwrap();
    assert!(is_unmeasured("email") && is_unmeasured("contact") && !is_unmeasured("id"));
    let people = made.catalog().entry(&made.id).unwrap().table.as_ref().clone();
    let mut looked_at = profile(&people);
    for column in looked_at.columns.iter_mut().filter(|column| column.column == "email") {
        (column.average_length, column.longest) = (Some(17.0), Some(30));
    }
    made.store.put_profiled(&people, &looked_at).unwrap();
    assert!(!is_unmeasured("email") && is_unmeasured("contact"));
}

#[test]
fn what_is_masked_since_is_not_in_the_profile_that_was_made_before() {
    let made = Made::new();
    let catalog = made.catalog();
    let shown = catalog.entry(&made.id).unwrap().profile().unwrap();
    assert!(!format!("{shown:?}").contains(SECRET));
    assert_eq!(shown.column("note").unwrap().masked_because(), Some("ann masked it"));
}

#[test]
fn nothing_is_known_to_be_open_in_a_table_of_another_shape() {
    let made = Made::new();
    // The two have changed places: what was found under one name may now be under the other.
    made.store.put_structure("shop", &[people(&["id", "email", "note", "contact"])]).unwrap();
    assert_eq!(made.exposure("id"), Exposure::Unexamined);
    assert_eq!(masked_by(&made.exposure("contact")), Some(MaskedBy::Values));
    made.store.put_profiled(&people(&["id", "email"]), &profile(&people(&["id", "email"]))).unwrap();
    assert_eq!(made.exposure("id"), Exposure::Open);
}

#[test]
fn a_run_that_could_not_read_a_table_takes_nothing_back() {
    let made = Made::new();
    let table = people(&["id", "email", "contact", "note"]);
    let columns = table.columns.iter().map(|column| ColumnProfile::empty(&column.name)).collect();
    let skipped = TableProfile { skipped: Some("it is locked".into()), columns, ..profile(&table) };
    made.store.put_profiled(&table, &skipped).unwrap();
    assert_eq!(masked_by(&made.exposure("contact")), Some(MaskedBy::Values));
    made.sql("DELETE FROM tables WHERE id LIKE '%people%'");
    made.store.put_structure("shop", std::slice::from_ref(&table)).unwrap();
    assert_eq!(made.exposure("contact"), Exposure::Unexamined);
    assert_eq!(masked_by(&made.exposure("note")), Some(MaskedBy::Person), "what people said outlives a table");
}

#[test]
fn damage_closes_a_table_and_leaves_the_others() {
    for (damage, part) in [
        ("UPDATE profiles SET body = substr(body, 1, length(body) - 1) WHERE table_id LIKE '%people%'", "profile"),
        (
            "UPDATE profiles SET body = replace(body, '\"stale\":false', '\"stale\":true ') WHERE table_id LIKE '%people%'",
            "profile",
        ),
        ("DELETE FROM profiles WHERE table_id LIKE '%people%'", "profile"),
        ("UPDATE masks SET body = replace(body, 'contact', 'contakt') WHERE table_id LIKE '%people%'", "masks"),
        ("UPDATE masks SET body = (SELECT body FROM masks WHERE table_id LIKE '%orders%')", "masks"),
        ("UPDATE masks SET body = x'ff' WHERE table_id LIKE '%people%'", "masks"),
        ("DELETE FROM masks WHERE table_id LIKE '%people%'", "masks"),
        ("UPDATE masks SET table_id = 'x' WHERE table_id LIKE '%people%'", "masks"),
        ("UPDATE rulings SET body = replace(body, '\"mask\"', '\"release\"')", "rulings"),
        ("UPDATE rulings SET seal = ''", "rulings"),
        ("DELETE FROM rulings", "rulings"),
        ("UPDATE parts SET held = '' WHERE table_id LIKE '%people%'", "rulings"),
        ("DELETE FROM parts WHERE table_id LIKE '%people%'", "rulings"),
    ] {
        let made = Made::new().without_witness();
        made.sql(&format!("PRAGMA foreign_keys = OFF; {damage}"));
        let catalog = made.catalog();
        let entry = catalog.entry(&made.id).unwrap();
        let found = entry.damage().unwrap_or_else(|| panic!("not noticed: {damage}"));
        assert_eq!((found.part, found.table.as_ref()), (part, Some(&made.id)), "{damage}");
        for column in ["email", "contact", "note"] {
            assert_ne!(*entry.exposure(column), Exposure::Open, "{column} after {damage}");
        }
        let orders = catalog.entry(&TableId::new("shop", "orders")).unwrap();
        assert!(damage.contains("SELECT") || orders.damage().is_none(), "{damage}");
    }
}

#[test]
fn a_structure_that_cannot_be_read_is_told_and_read_anew() {
    for damage in [
        "UPDATE tables SET body = replace(body, '\"email\"', '\"emajl\"') WHERE id LIKE '%people%'",
        "UPDATE tables SET id = replace(id, 'people', 'peopl') WHERE id LIKE '%people%'",
        "UPDATE tables SET body = 'no JSON' WHERE id LIKE '%people%'",
        "UPDATE tables SET body = x'ff' WHERE id LIKE '%people%'",
    ] {
        let made = Made::new();
        made.sql(&format!("PRAGMA foreign_keys = OFF; {damage}"));
        let catalog = made.catalog();
        assert!(catalog.entry(&made.id).is_none(), "{damage}");
        assert_eq!(catalog.damaged().iter().map(|damage| damage.part).collect::<Vec<_>>(), ["structure"], "{damage}");
        assert!(catalog.entry(&TableId::new("shop", "orders")).is_some());
        let both = [people(&["id", "email", "contact", "note"]), table("orders", &["id", "status"])];
        made.store.put_structure("shop", &both).unwrap();
        assert!(made.catalog().damaged().is_empty(), "{damage}");
        assert_ne!(made.exposure("contact"), Exposure::Open, "{damage}");
    }
}

#[test]
fn a_source_that_cannot_be_read_takes_its_tables_along() {
    let made = Made::new();
    made.sql("UPDATE sources SET body = replace(body, 'sqlite', 'duckdb')");
    let catalog = made.catalog();
    assert!(catalog.entries().is_empty());
    assert_eq!(catalog.damaged().len(), 3);
}

#[test]
fn what_people_said_is_not_added_to_what_cannot_be_read() {
    let made = Made::new().without_witness();
    made.sql("UPDATE rulings SET body = '[]'");
    let error = made.rule("email", Decision::Release).unwrap_err();
    assert_eq!(error.code(), "catalog_unreadable");
    assert_eq!(made.store.drop_unreadable_rulings().unwrap(), std::slice::from_ref(&made.id));
    assert!(made.store.drop_unreadable_rulings().unwrap().is_empty());
    made.rule("note", Decision::Mask).unwrap();
    assert_eq!(masked_by(&made.exposure("note")), Some(MaskedBy::Person));
}

#[test]
fn approvals_that_cannot_be_read_are_left_out_and_told() {
    let made = Made::new();
    for question in ["one", "two"] {
        let kind = crate::model::memory::MemoryKind::Approved;
        let memory = NewMemory {
            kind,
            question: question.into(),
            sql: "SELECT 1".into(),
            source: "shop".into(),
            correction: None,
            author: "ann".into(),
            reach: Reach::default(),
        };
        made.store.add_memory(memory).unwrap();
    }
    made.sql("UPDATE memories SET body = replace(body, 'SELECT 1', 'SELECT 2') WHERE id = 1");
    let catalog = made.catalog();
    assert_eq!(catalog.memories().len(), 1);
    assert_eq!(catalog.damaged()[0].part, "approved query or correction");
}

#[test]
fn what_was_removed_is_erased_once_nobody_reads_an_earlier_state() {
    let made = Made::new();
    let holds = || {
        let files = ["catalog.db", "catalog.db-wal"].map(|name| std::fs::read(made.path.with_file_name(name)));
        files.into_iter().flatten().any(|file| file.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes()))
    };
    assert!(holds());
    let (table, earlier) = (people(&["id", "email", "contact", "note"]), made.catalog());
    let columns = table.columns.iter().map(|column| ColumnProfile::empty(&column.name)).collect();
    made.store.put_profile(&TableProfile { columns, ..profile(&table) }).unwrap();
    assert!(!made.store.erase_removed().unwrap() && holds());
    drop(earlier);
    assert!(made.store.erase_removed().unwrap() && !holds());
}

#[test]
fn a_damaged_index_that_leads_to_the_row_of_another_table_closes_this_one() {
    let made = Made::new();
    assert!(made.store.erase_removed().unwrap());
    let mut file = std::fs::read(&made.path).unwrap();
    // An index's entry: the key, and behind it the number of the row.
    let entry = b"[\"shop\",null,\"orders\"]\x02";
    let places: Vec<usize> =
        file.windows(entry.len()).enumerate().filter(|(_, bytes)| bytes == entry).map(|(place, _)| place).collect();
    assert!(places.len() >= 3, "{places:?}");
    for place in places {
        file[place + entry.len() - 1] = 1;
    }
    std::fs::write(&made.path, file).unwrap();
    let catalog = made.catalog();
    let orders = catalog.entry(&TableId::new("shop", "orders"));
    assert!(orders.is_none_or(|orders| orders.damage().is_some()));
}

#[test]
fn values_of_what_is_made_from_a_masked_column_are_erased_without_a_new_revision() {
    let made = Made::new();
    let (people, view) = (people(&["id", "email", "contact", "note"]), table("cards", &["number", "remark"]));
    made.store.put_structure("shop", &[people.clone(), view.clone()]).unwrap();
    made.store.put_profile(&TableProfile { columns: Vec::new(), ..profile(&people) }).unwrap();
    let held = || ColumnProfile { values: KnownValues::All(vec![SECRET.into()]), ..ColumnProfile::empty("remark") };
    let columns = vec![ColumnProfile::empty("number"), held()];
    made.store.put_profiled(&view, &TableProfile { columns, ..profile(&view) }).unwrap();
    let holds = || {
        let files = ["catalog.db", "catalog.db-wal"].map(|name| std::fs::read(made.path.with_file_name(name)));
        files.into_iter().flatten().any(|file| file.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes()))
    };
    let read = || made.catalog().entry(&view.id).unwrap().profile().cloned();
    let (revision, shown) = (made.store.revision().unwrap(), read());
    assert!(made.store.erase_removed().unwrap() && holds());
    made.store.withhold_inherited().unwrap();
    assert!(made.store.erase_removed().unwrap() && !holds());
    assert_eq!((made.store.revision().unwrap(), read()), (revision, shown));
    assert!(made.catalog().all_damage().is_empty());
}

#[test]
fn of_a_table_whose_rows_are_hidden_no_number_is_told_nor_of_a_view_of_it() {
    let made = Made::new();
    let count = RowCount { value: 3, exactness: Exactness::Exact };
    let [hidden, view, shown] = ["kept_back", "over_it", "orders"].map(|name| {
        let evidence =
            KeyEvidence { name_fit: 1.0, joined_in: 0, inclusion: Some(1.0), values_checked: 3, confidence: 1.0 };
        let key = ForeignKey {
            columns: vec!["id".into()],
            ref_table: TableId::new("shop", if name == "orders" { "people" } else { "kept_back" }),
            ref_columns: vec!["id".into()],
            origin: KeyOrigin::Inferred(evidence),
        };
        // That rows of a denied table are chosen by a policy doesn't open views of it.
        let policy = RowPolicy { name: "p".into(), query: "SELECT 1".into(), functions: Vec::new() };
        let row_policies = if name == "kept_back" { vec![policy] } else { Vec::new() };
        Table { row_count: Some(count), foreign_keys: vec![key], row_policies, ..table(name, &["id", "status"]) }
    });
    made.store.put_structure("shop", &[hidden.clone(), view.clone(), shown.clone()]).unwrap();
    for table in [&hidden, &view, &shown] {
        let status = ColumnProfile { null_fraction: Some(0.5), ..ColumnProfile::empty("status") };
        let columns = vec![ColumnProfile::empty("id"), status];
        made.store.put_profiled(table, &TableProfile { row_count: Some(count), columns, ..profile(table) }).unwrap();
    }
    let catalog = made.catalog();
    let told = |table: &Table| {
        let entry = catalog.entry(&table.id).unwrap();
        let profile = entry.profile().unwrap();
        let checked = match &entry.table.foreign_keys[0].origin {
            KeyOrigin::Inferred(evidence) => evidence.values_checked,
            KeyOrigin::Declared => 0,
        };
        (entry.table.row_count, profile.row_count, profile.rows_seen, profile.columns[1].null_fraction, checked)
    };
    assert_eq!(told(&shown), (Some(count), Some(count), 3, Some(0.5), 3));
    assert_eq!(told(&hidden), (None, None, 0, None, 0));
    assert_eq!(told(&view), (None, None, 0, None, 0));
    assert!(catalog.entry(&view.id).unwrap().exposure("status").mask().is_some());
}

#[test]
fn who_has_released_a_masked_column_has_not_looked_at_what_chooses_the_rows() {
    let made = Made::new();
    let policy = RowPolicy { name: "p".into(), query: "SELECT 1".into(), functions: Vec::new() };
    let people = Table { row_policies: vec![policy], ..people(&["id", "email", "contact", "note"]) };
    made.store.put_structure("shop", std::slice::from_ref(&people)).unwrap();
    made.store.put_profiled(&people, &profile(&people)).unwrap();
    let is_decided = || made.catalog().entry(&people.id).unwrap().rows_are_decided();
    assert!(is_decided());
    made.store.add_rulings(&[(people.id.clone(), ruling("contact", Decision::Release))]).unwrap();
    assert!(is_decided());
    made.store.add_rulings(&[(people.id.clone(), ruling("id", Decision::Release))]).unwrap();
    assert!(!is_decided());
}
