//! A small shop, of which the values of its states are known, and a journal in a folder of its own.

use std::path::{Path, PathBuf};

use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, ForeignKey, KeyOrigin, KnownValues, Mask, SampleMethod, Source,
    Table, TableId, TableProfile, TableUsage, TypeClass,
};
use jiff::Timestamp;
use tempfile::TempDir;
use usage::{Journal, Progress, Reader};

pub(crate) const SOURCE: &str = "shop";

/// Orders of customers; whose e-mail addresses are masked.
pub(crate) fn catalog(dialect: Dialect) -> Catalog {
    let orders = table(
        "orders",
        &[
            ("id", TypeClass::Integer, &[]),
            ("customer_id", TypeClass::Integer, &[]),
            ("status", TypeClass::Text, &["paid", "sent", "cancelled", "Cancelled"]),
            ("is_test", TypeClass::Boolean, &["false", "true"]),
            ("total_cents", TypeClass::Integer, &[]),
            ("note", TypeClass::Text, &[]),
        ],
    );
    let customers = table(
        "customers",
        &[
            ("id", TypeClass::Integer, &[]),
            ("email", TypeClass::Text, &[]),
            ("country", TypeClass::Text, &["DE", "FR", "US"]),
            ("deleted_at", TypeClass::Timestamp, &[]),
        ],
    );
    Catalog::new(vec![Source::new(SOURCE, dialect, "postgres://host/shop")], vec![orders, customers], Vec::new(), 1)
}

fn table(name: &str, columns: &[(&str, TypeClass, &[&str])]) -> Entry {
    let mut table = Table::new(TableId::new(SOURCE, name));
    let column =
        |(name, class, _): &(&str, TypeClass, &[&str])| Column { type_class: *class, ..Column::new(*name, "") };
    table.columns = columns.iter().map(column).collect();
    table.primary_key = vec!["id".to_owned()];
    if name == "orders" {
        let to = TableId::new(SOURCE, "customers");
        table.foreign_keys = vec![ForeignKey {
            columns: vec!["customer_id".to_owned()],
            ref_table: to,
            ref_columns: vec!["id".to_owned()],
            origin: KeyOrigin::Declared,
        }];
    }
    let profiled = columns.iter().map(|(name, _, values)| {
        let known = values.iter().map(|value| (*value).to_owned()).collect();
        let masked = (*name == "email").then(|| Mask::by_values("values look like e-mail addresses"));
        let distinct_count = (*name == "customer_id").then_some(6_000);
        let values = if values.is_empty() { KnownValues::Unknown } else { KnownValues::All(known) };
        ColumnProfile { values, masked, distinct_count, ..ColumnProfile::empty(*name) }
    });
    let profile = TableProfile {
        rows_seen: 24_000,
        columns: profiled.collect(),
        ..TableProfile::new(&table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
    };
    Entry::bare(table).with_profile(profile)
}

/// A folder with logs, and what was read of them.
pub(crate) struct Logs {
    pub(crate) folder: TempDir,
    pub(crate) journal: Journal,
    pub(crate) catalog: Catalog,
}

impl Logs {
    pub(crate) fn new(dialect: Dialect) -> Self {
        let journal = Journal::new("salt".to_owned());
        Self { folder: tempfile::tempdir().unwrap(), journal, catalog: catalog(dialect) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Reads what is new; the number of statements.
    pub(crate) fn read(&mut self) -> u64 {
        self.try_read().unwrap().statements
    }

    pub(crate) fn try_read(&mut self) -> Result<Progress, usage::UsageError> {
        self.try_read_of(&[self.folder.path().to_owned()])
    }

    pub(crate) fn try_read_of(&mut self, paths: &[PathBuf]) -> Result<Progress, usage::UsageError> {
        let reader = Reader::new(&self.catalog, SOURCE);
        self.journal.read_files(paths, &reader, Some("shop"), Some("periplus_reader"), &mut |_| ())
    }

    /// Statements as lines of JSON, each with who ran it.
    pub(crate) fn run(&mut self, statements: &[(&str, &str)]) {
        let lines =
            statements.iter().map(|(user, sql)| serde_json::json!({"user": user, "query": sql}).to_string() + "\n");
        let text: String = lines.collect();
        self.write("run.jsonl", &text);
        self.read();
    }

    pub(crate) fn usage_of(&self, table: &str) -> TableUsage {
        let usage = self.journal.usage(&self.catalog, SOURCE);
        let catalog = self.catalog.clone().with_usage(vec![(SOURCE.to_owned(), usage)]);
        catalog.usage_of(catalog.entry(&TableId::new(SOURCE, table)).unwrap()).unwrap()
    }
}

pub(crate) fn save(journal: &Journal, folder: &Path) -> String {
    let path = folder.join("journal.json");
    journal.save(&path).unwrap();
    std::fs::read_to_string(path).unwrap()
}
