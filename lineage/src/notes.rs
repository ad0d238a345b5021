//! What a dbt project notes of its tables beside what they are made from: what came of tests, how fresh sources were, labels.

use catalog::{Entry, Exposure, TableId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::dbt::{DbtNode, DbtProject, Freshness, TestOutcome, TestStatus};
use crate::edges::{Holder, Lineage, Place};

/// Labels that are told of a table.
const LABELS: usize = 8;
/// Characters of each.
const LABEL_CHARACTERS: usize = 60;
/// Tests that are named in a line.
const TESTS: usize = 10;

/// What is noted of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableNotes {
    /// The table.
    pub table: TableId,
    /// Its tags.
    pub tags: Vec<String>,
    /// What people say of it under names of their own.
    pub meta: Vec<(String, String)>,
    /// What it is tested for.
    pub tests: Vec<Tested>,
    /// How fresh it was.
    pub freshness: Option<Freshness>,
    /// The column by which that is known, or an expression; nothing where the engine says it.
    pub loaded_at_field: Option<String>,
    /// Which of [`Lineage::places`] says so.
    pub place: usize,
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// The column, where it is one's.
    pub column: Option<String>,
    /// What is tested, as the project calls it.
    pub name: String,
    /// What came of it when it last ran; nothing where that isn't known.
    pub outcome: Option<TestOutcome>,
}

/// What is told of a table: nothing of a column that is masked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Told {
    /// Its tags.
    pub tags: Vec<String>,
    /// What people say of it under names of their own.
    pub meta: Vec<(String, String)>,
    /// What it is tested for.
    pub tests: Vec<Tested>,
    /// How fresh it was.
    pub freshness: Option<Freshness>,
}

impl Lineage {
    /// Notes what a project says of a table.
    pub(crate) fn note(&mut self, project: &DbtProject, node: &DbtNode, table: &TableId) {
        let tests = project.tests.iter().filter(|test| test.node == node.id).map(|test| Tested {
            column: test.column.clone(),
            name: test.kind.name().to_owned(),
            outcome: project.outcome(test).cloned(),
        });
        let mut notes = TableNotes {
            table: table.clone(),
            tags: node.tags.clone(),
            meta: node.meta.clone(),
            tests: tests.collect(),
            freshness: node.freshness.clone(),
            loaded_at_field: node.loaded_at_field.clone(),
            place: 0,
        };
        if notes.tags.is_empty() && notes.meta.is_empty() && notes.tests.is_empty() && notes.freshness.is_none() {
            return;
        }
        // Who compares hashes sees that something else came of a test.
        let text = serde_json::to_string(&notes).unwrap_or_default();
        notes.place = self.note_place(Place::new(Holder::DbtNotes, node.id.clone(), &text));
        self.notes.push(notes);
    }

    /// Takes over what came of tests from what was read before, where the project's results say nothing of them: each command of
    /// dbt writes results anew, of what it has run itself.
    pub fn keep_outcomes(&mut self, before: &Self) {
        for notes in &mut self.notes {
            let Some(known) = before.notes.iter().find(|known| known.table == notes.table) else { continue };
            for test in notes.tests.iter_mut().filter(|test| test.outcome.is_none()) {
                let is_it = |known: &&Tested| known.column == test.column && known.name == test.name;
                test.outcome = known.tests.iter().find(is_it).and_then(|known| known.outcome.clone());
            }
        }
    }

    /// What is told of a table.
    pub fn told_of(&self, entry: &Entry) -> Told {
        let is_open = |column: &str| {
            let own = entry.table.columns.iter().find(|own| own.name.eq_ignore_ascii_case(column));
            own.is_some_and(|own| *entry.exposure(&own.name) == Exposure::Open)
        };
        let mut told = Told::default();
        for notes in self.notes.iter().filter(|notes| notes.table == entry.table.id) {
            told.tags.extend(notes.tags.iter().cloned());
            told.meta.extend(notes.meta.iter().cloned());
            if !entry.rows_may_be_told() {
                continue;
            }
            told.tests.extend(notes.tests.iter().filter(|test| test.column.as_deref().is_none_or(is_open)).map(whole));
            let is_known_openly = notes.loaded_at_field.as_deref().is_none_or(is_open);
            told.freshness = told.freshness.or(notes.freshness.clone().filter(|_| is_known_openly));
        }
        told
    }
}

/// A test as it is told. How many rows fail one that isn't a column's depends on columns that aren't told.
fn whole(test: &Tested) -> Tested {
    let mut test = test.clone();
    if let Some(outcome) = test.outcome.as_mut().filter(|_| test.column.is_none()) {
        outcome.failures = None;
    }
    test
}

impl Told {
    /// As lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.tests_in_words());
        lines.extend(self.freshness.as_ref().map(freshness_in_words));
        if !self.tags.is_empty() {
            lines.push(format!("dbt tags: {}", labelled(self.tags.iter().map(String::as_str).map(shortened))));
        }
        if !self.meta.is_empty() {
            let meta = self.meta.iter().map(|(key, value)| format!("{} = {}", shortened(key), shortened(value)));
            lines.push(format!("dbt meta: {}", labelled(meta)));
        }
        lines
    }

    /// `dbt tests: 12 passed, last on 2026-11-28 06:10 UTC; failed on 2026-11-28 06:10 UTC: customer_id not_null (3 rows)`.
    fn tests_in_words(&self) -> Option<String> {
        let of = |wanted: TestStatus| -> (Vec<&Tested>, Option<String>) {
            let outcomes = self.tests.iter().filter_map(|test| Some((test, test.outcome.as_ref()?)));
            let outcomes = outcomes.filter(|(_, outcome)| outcome.status == wanted);
            let (tests, at): (Vec<&Tested>, Vec<Option<Timestamp>>) =
                outcomes.map(|(test, outcome)| (test, outcome.at)).unzip();
            (tests, at.into_iter().flatten().max().map(|at| format!(" on {}", minute(at))))
        };
        let mut parts = Vec::new();
        let (passed, at) = of(TestStatus::Passed);
        if !passed.is_empty() {
            let at = at.map(|at| format!(", last{at}")).unwrap_or_default();
            parts.push(format!("{} passed{at}", passed.len()));
        }
        for (status, word) in [(TestStatus::Failed, "failed"), (TestStatus::Warned, "warned")] {
            let (tests, at) = of(status);
            if !tests.is_empty() {
                let more = tests.len().saturating_sub(TESTS);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let named: Vec<String> = tests.iter().take(TESTS).map(|test| failure_in_words(test)).collect();
                parts.push(format!("{word}{}: {}{more}", at.unwrap_or_default(), named.join(", ")));
            }
        }
        (!parts.is_empty()).then(|| format!("dbt tests: {}", parts.join("; ")))
    }

    /// The tests that failed when they last ran, and a source that is late, for who looks after all tables: a line each.
    pub fn alarms(&self) -> Vec<String> {
        let failed = |test: &&Tested| test.outcome.as_ref().is_some_and(|it| it.status == TestStatus::Failed);
        let failed: Vec<String> = self.tests.iter().filter(failed).map(failure_in_words).collect();
        let late = self.freshness.as_ref().filter(|freshness| freshness.is_late == Some(true));
        let failed = (!failed.is_empty()).then(|| format!("dbt tests failed: {}", failed.join(", ")));
        failed.into_iter().chain(late.map(freshness_in_words)).collect()
    }
}

fn failure_in_words(test: &Tested) -> String {
    let column = test.column.as_deref().map(|column| format!("{column} ")).unwrap_or_default();
    let failures = test.outcome.as_ref().and_then(|outcome| outcome.failures);
    let failures = failures.map(|rows| format!(" ({rows} {})", if rows == 1 { "row" } else { "rows" }));
    format!("{column}{}{}", test.name, failures.unwrap_or_default())
}

fn freshness_in_words(freshness: &Freshness) -> String {
    let seen = freshness.seen_at.map(|at| format!(" when dbt looked on {}", minute(at))).unwrap_or_default();
    let late = if freshness.is_late == Some(true) { ", later than the project allows" } else { "" };
    format!("its newest row was of {}{seen}{late}", minute(freshness.loaded_at))
}

fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LABEL_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn labelled(labels: impl Iterator<Item = String>) -> String {
    let labels: Vec<String> = labels.collect();
    let more = labels.len().saturating_sub(LABELS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", labels[..labels.len().min(LABELS)].join(", "))
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect, TableId};

    use crate::dbt::DbtProject;
    use crate::read::of_dbt;

    const MANIFEST: &str = r#"{"metadata": {"adapter_type": "sqlite"},
        "nodes": {
            "model.a.orders": {"resource_type": "model", "name": "orders", "tags": ["daily"], "config": {"meta": {"owner": "finance", "levels": [1]}}},
            "test.a.n": {"resource_type": "test", "column_name": "customer", "attached_node": "model.a.orders",
                "test_metadata": {"name": "not_null"}, "depends_on": {"nodes": ["model.a.orders"]}},
            "test.a.u": {"resource_type": "test", "column_name": "id", "attached_node": "model.a.orders",
                "test_metadata": {"name": "unique"}, "depends_on": {"nodes": ["model.a.orders"]}},
            "test.a.e": {"resource_type": "test", "column_name": "email", "attached_node": "model.a.orders",
                "test_metadata": {"name": "unique"}, "depends_on": {"nodes": ["model.a.orders"]}},
            "test.a.total": {"resource_type": "test", "name": "assert_total", "depends_on": {"nodes": ["model.a.orders"]}}},
        "sources": {"source.a.raw.people": {"identifier": "people", "loaded_at_field": "seen_on"},
            "source.a.raw.letters": {"identifier": "letters", "loaded_at_field": "birth_date"}}}"#;
    const RESULTS: &str = r#"{"results": [
        {"unique_id": "test.a.n", "status": "fail", "failures": 3, "timing": [{"completed_at": "2026-11-28T06:10:00Z"}]},
        {"unique_id": "test.a.u", "status": "pass", "failures": 0}, {"unique_id": "test.a.e", "status": "fail", "failures": 7},
        {"unique_id": "test.a.total", "status": "warn", "failures": 9}]}"#;
    const SOURCES: &str = r#"{"results": [
        {"unique_id": "source.a.raw.people", "status": "warn", "max_loaded_at": "2026-11-20T10:00:00+00:00", "snapshotted_at": "2026-11-28T06:00:00Z",
            "criteria": {"warn_after": {"count": 12, "period": "hour"}}},
        {"unique_id": "source.a.raw.letters", "status": "pass", "max_loaded_at": "2026-11-20T10:00:00+00:00"}]}"#;

    #[test]
    fn what_a_project_notes_is_told_but_for_masked_columns() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("manifest", MANIFEST), ("run_results", RESULTS), ("sources", SOURCES)] {
            std::fs::write(folder.path().join(format!("{file}.json")), text).unwrap();
        }
        let ddl = "CREATE TABLE orders (id INTEGER, customer INTEGER, email TEXT); CREATE TABLE people (id INTEGER, seen_on TEXT);
            CREATE TABLE letters (id INTEGER, birth_date TEXT)";
        let catalog: Catalog = testkit::looked_at(&testkit::catalog_from_ddl(Dialect::Sqlite, "shop", ddl));
        let catalog = testkit::with_masked(catalog, "orders", "email");
        let catalog = testkit::with_masked(catalog, "letters", "birth_date");
        let lineage = of_dbt(&DbtProject::read(folder.path()).unwrap(), &catalog, "shop");
        let told = |table: &str| lineage.told_of(catalog.entry(&TableId::new("shop", table)).unwrap());
        assert_eq!(
            told("orders").lines(),
            [
                "dbt tests: 1 passed; failed on 2026-11-28 06:10 UTC: customer not_null (3 rows); warned: assert_total",
                "dbt tags: daily",
                "dbt meta: owner = finance",
            ]
        );
        assert_eq!(told("orders").alarms(), ["dbt tests failed: customer not_null (3 rows)"]);
        let fresh = "its newest row was of 2026-11-20 10:00 UTC when dbt looked on 2026-11-28 06:00 UTC, later than the project allows";
        assert_eq!(told("people").lines(), [fresh]);
        assert!(told("letters").lines().is_empty(), "the column that would say it is masked");

        // Another command has written results of its own.
        std::fs::remove_file(folder.path().join("run_results.json")).unwrap();
        let mut later = of_dbt(&DbtProject::read(folder.path()).unwrap(), &catalog, "shop");
        let orders = catalog.entry(&TableId::new("shop", "orders")).unwrap();
        assert_eq!(later.told_of(orders).lines(), ["dbt tags: daily", "dbt meta: owner = finance"]);
        later.keep_outcomes(&lineage);
        assert_eq!(later.told_of(orders), lineage.told_of(orders));
    }
}
