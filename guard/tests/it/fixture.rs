//! The specs' database: a SQLite file made from `specs/schema.sql`, its catalog, and profiles of all values.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use catalog::{
    Catalog, ColumnProfile, Dialect, Entry, Fact, FactKind, KnownValues, Mask, Pattern, SampleMethod, Source, Table,
    TableProfile, Usage, ValueForm,
};
use connect::Connector;
use tempfile::TempDir;

/// A database in a folder of its own.
pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    pub(crate) tables: Vec<Table>,
    source: &'static str,
    _folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::of(&std::fs::read_to_string(specs().join("schema.sql")).unwrap())
    }

    /// One with other tables.
    pub(crate) fn of(schema: &str) -> Self {
        Self::of_source("spec", schema)
    }

    /// The same, of a source with that name.
    pub(crate) fn of_source(source: &'static str, schema: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        let connector = connected(source, &path);
        let tables = runtime().block_on(connector.introspect()).unwrap();
        Self { path, tables, source, _folder: folder }
    }

    /// A new connection to it.
    pub(crate) fn connector(&self) -> Box<dyn Connector> {
        connected(self.source, &self.path)
    }

    /// Runs more statements on it.
    pub(crate) fn execute<'a>(&mut self, statements: impl Iterator<Item = &'a str>) {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        for statement in statements {
            connection.execute_batch(statement).unwrap_or_else(|error| panic!("{error}: {statement}"));
        }
    }

    /// The profiles of the specs' tables.
    pub(crate) fn profiles(&self) -> Vec<TableProfile> {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        self.tables.iter().map(|table| profile(&connection, table)).collect()
    }

    /// The catalog, as if the source spoke `dialect`.
    pub(crate) fn catalog(&self, dialect: &Dialect) -> Catalog {
        self.catalog_of(dialect, self.profiles())
    }

    /// The same with other words in every sentence that a profile holds for people.
    pub(crate) fn reworded_catalog(&self, dialect: &Dialect) -> Catalog {
        let mut profiles = self.profiles();
        for profile in &mut profiles {
            profile.skipped.iter_mut().for_each(|why| *why = "other words".to_owned());
            let masks = profile.columns.iter_mut().filter_map(|column| column.masked.as_mut());
            masks.for_each(|mask| mask.reason = "other words".to_owned());
        }
        self.catalog_of(dialect, profiles)
    }

    fn catalog_of(&self, dialect: &Dialect, profiles: Vec<TableProfile>) -> Catalog {
        let source = Source::new(self.source, dialect.clone(), "");
        let entries =
            self.tables.iter().zip(profiles).map(|(table, profile)| Entry::bare(table.clone()).with_profile(profile));
        Catalog::new(vec![source], entries.collect(), Vec::new(), 1).with_usage(usage(self.source))
    }
}

/// What `specs/usage.json` says of statements over the tables.
pub(crate) fn usage(source: &str) -> Vec<(String, Usage)> {
    let text = std::fs::read_to_string(specs().join("usage.json")).unwrap().replace("\"spec\"", &format!("{source:?}"));
    vec![(source.to_owned(), serde_json::from_str(&text).unwrap())]
}

fn connected(source: &str, path: &Path) -> Box<dyn Connector> {
    connect::connect(source, &format!("sqlite:{}", path.display())).unwrap()
}

/// A profile of every value; `employees.salary` is masked, `orders_old` is stale, and `ledger_locked` can't be read.
fn profile(connection: &rusqlite::Connection, table: &Table) -> TableProfile {
    let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let columns = table.columns.iter().map(|column| {
        let mut found = ColumnProfile::empty(&column.name);
        if column.name == "salary" {
            found.masked = Some(Mask::by_values("values look like salaries"));
            return found;
        }
        let (name, from) = (quote(&column.name), quote(&table.id.name));
        let sql = format!("SELECT DISTINCT CAST({name} AS TEXT) FROM {from} WHERE {name} IS NOT NULL ORDER BY {name}");
        let mut statement = connection.prepare(&sql).unwrap();
        let values: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        found.min = values.first().cloned();
        found.max = values.last().cloned();
        if !values.is_empty() && values.iter().all(|value| value.len() == 10 && value.as_bytes()[4] == b'-') {
            found.pattern = Some(Pattern { form: ValueForm::IsoDate, share: 1.0 });
        }
        // However many rows a spec gives the table, these have no more values.
        if ["country", "status"].contains(&column.name.as_str()) {
            found.distinct_count = Some(values.len() as u64);
        }
        // Most parcels are there.
        found.null_fraction = (column.name == "gone_flag").then_some(0.9);
        let is_key = table.primary_key.contains(&column.name) || found.pattern.is_some();
        found.values = if is_key { KnownValues::Some(values) } else { KnownValues::All(values) };
        found
    });
    TableProfile {
        table: table.id.clone(),
        fingerprint: table.fingerprint(),
        row_count: None,
        method: SampleMethod::AllRows,
        rows_seen: 4,
        profiled_at: jiff::Timestamp::UNIX_EPOCH,
        same_since: None,
        write_mark: None,
        columns: columns.collect(),
        sample_rows: Vec::new(),
        facts: facts_of(&table.id.source, &table.id.name),
        stale: table.id.name.ends_with("_old"),
        skipped: table.id.name.ends_with("_locked").then(|| "it can't be read: permission denied".to_owned()),
    }
}

/// What `specs/facts.json` says of a table's rows, as if it held for 90 of 100.
fn facts_of(source: &str, table: &str) -> Vec<Fact> {
    let text = std::fs::read_to_string(specs().join("facts.json")).unwrap().replace("\"spec\"", &format!("{source:?}"));
    let all: HashMap<String, Vec<FactKind>> = serde_json::from_str(&text).unwrap();
    let kinds = all.get(table).cloned().unwrap_or_default();
    kinds.into_iter().map(|kind| Fact::new(kind, 90, 100, String::new())).collect()
}

pub(crate) fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs")
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}
