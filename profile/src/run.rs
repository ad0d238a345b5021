//! A whole run over one source, table by table.
//!
//! A table is finished when its profile is stored, which is one transaction: whatever ends the run between two tables
//! loses at most the one in hand, and the next run goes on behind it. What is stored never depends on what an earlier
//! part of the same run had in memory, so a resumed run ends with the catalog of an undisturbed one.

use catalog::{
    CatalogError, Column, ColumnProfile, Entry, KeyOrigin, KnownValues, RowCount, SampleMethod, Source, Store,
    StructureChange, Table, TableProfile,
};
use connect::{ConnectError, Connector};

use crate::error::ProfileError;
use crate::keys;
use crate::options::{Options, Outcome, Progress, Summary};
use crate::patterns::{self, Stored};
use crate::sample_rows;
use crate::sampling;
use crate::sensitivity;
use crate::staleness;
use crate::statistics::{Coverage, Tally, cut};

/// Share of its rows that a table may gain or lose before it is profiled again.
pub const ROW_COUNT_TOLERANCE: f64 = 0.1;
/// Sample values kept of a snapshot's column.
const SNAPSHOT_VALUES: usize = 5;

/// Introspects a source, profiles every table that is new or has changed, and infers undeclared keys.
///
/// Dropping the future stops the run; everything reported through `on_progress` is stored by then. A table that can't
/// be read is reported and the others go on.
///
/// # Errors
///
/// Where the source can't be introspected, or the catalog can't be written.
pub async fn profile_source(
    connector: &dyn Connector,
    store: &Store,
    options: &Options,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ProfileError> {
    let name = connector.source().name.clone();
    let introspected = connector.introspect().await;
    let tables = introspected.map_err(|source| ProfileError::Introspection { source_name: name.clone(), source })?;
    let catalog_error = |source| ProfileError::Catalog { source_name: name.clone(), source };
    let mut run = Run::start(connector, store, options, &tables).map_err(catalog_error)?;
    on_progress(Progress::Started { tables: tables.len() });
    for (index, table) in tables.iter().enumerate() {
        let outcome = run.table(table).await.map_err(catalog_error)?;
        run.summary.count(&table.id, &outcome);
        on_progress(Progress::Table { id: table.id.clone(), index: index + 1, total: tables.len(), outcome });
    }
    run.keys().await.map_err(catalog_error)?;
    on_progress(Progress::KeysInferred { count: run.summary.keys_inferred });
    run.finish().map_err(catalog_error)
}

struct Run<'a> {
    connector: &'a dyn Connector,
    store: &'a Store,
    options: &'a Options,
    source: Source,
    /// What was stored before.
    before: catalog::Catalog,
    summary: Summary,
}

impl<'a> Run<'a> {
    fn start(
        connector: &'a dyn Connector,
        store: &'a Store,
        options: &'a Options,
        tables: &[Table],
    ) -> Result<Self, CatalogError> {
        let mut source = connector.source().clone();
        let before = store.catalog()?;
        // Only these two are known to the catalog alone.
        if let Some(stored) = before.source(&source.name) {
            source.description = source.description.or_else(|| stored.description.clone());
            source.indexed_at = stored.indexed_at;
        }
        store.put_source(&source)?;
        let changes = store.put_structure(&source.name, tables)?;
        let mut run = Self {
            connector,
            store,
            options,
            source,
            before,
            summary: Summary { tables: tables.len(), ..Summary::default() },
        };
        if changes.iter().any(|change| !matches!(change, StructureChange::Unchanged(_))) {
            run.mark_unfinished()?;
        }
        run.summary.dropped = changes
            .into_iter()
            .filter_map(|change| match change {
                StructureChange::Dropped(id) => Some(id),
                _ => None,
            })
            .collect();
        Ok(run)
    }

    /// Says that the catalog is being changed, until [`Run::finish`]: a run that is cut off is not taken for a whole one.
    fn mark_unfinished(&mut self) -> Result<(), CatalogError> {
        if self.source.indexed_at.take().is_some() {
            self.store.put_source(&self.source)?;
        }
        Ok(())
    }

    async fn table(&mut self, introspected: &Table) -> Result<Outcome, CatalogError> {
        let entry = self.before.entry(&introspected.id);
        let stored_profile = entry.and_then(|entry| entry.profile.clone());
        // The stored one holds inferred keys as well, where the structure is the same.
        let same = entry.filter(|entry| entry.table.fingerprint() == introspected.fingerprint());
        let mut table = same.map_or_else(|| introspected.clone(), |entry| entry.table.clone());
        let row_count = match self.connector.row_count(&table).await {
            Ok(row_count) => row_count,
            Err(error) => return Ok(failed(&table, &error)),
        };
        if stored_profile.is_some_and(|profile| self.still_holds(&table, &profile, row_count)) {
            return Ok(Outcome::Unchanged);
        }
        let profile = match self.profile(&mut table, row_count).await {
            Ok(profile) => profile,
            Err(error) => return Ok(failed(&table, &error)),
        };
        self.mark_unfinished()?;
        // The profile comes last: it is what says that the table is finished.
        self.store.put_table(&table)?;
        self.store.put_profile(&profile)?;
        Ok(profile.skipped.map_or(Outcome::Profiled, Outcome::Skipped))
    }

    /// Whether a stored profile says what a new one would, as far as that can be known without reading the table.
    fn still_holds(&self, table: &Table, profile: &TableProfile, row_count: Option<RowCount>) -> bool {
        let same_rules = table.columns.iter().all(|column| {
            let masked = profile.column(&column.name).and_then(|profile| profile.masked.as_deref());
            match self.options.sensitive.by_name(table, column) {
                Some(reason) => masked == Some(reason.as_str()) || profile.skipped.is_some(),
                None => !masked.is_some_and(sensitivity::is_by_name),
            }
        });
        let skipped_as_asked = profile.skipped.is_none() || (self.options.skip_stale && profile.stale);
        let stale_as_asked = !(self.options.skip_stale && profile.stale && profile.skipped.is_none());
        profile.fingerprint == table.fingerprint()
            && same_rules
            && skipped_as_asked
            && stale_as_asked
            && !moved(profile.row_count, row_count)
    }

    async fn profile(&self, table: &mut Table, row_count: Option<RowCount>) -> Result<TableProfile, ConnectError> {
        if let Some(samples) = self.connector.provided_samples(table).await? {
            return Ok(self.snapshot_profile(table, &samples));
        }
        let masks: Vec<Option<String>> =
            table.columns.iter().map(|column| self.options.sensitive.by_name(table, column)).collect();
        let readable: Vec<String> = table
            .columns
            .iter()
            .zip(&masks)
            .filter(|(_, mask)| mask.is_none())
            .map(|(column, _)| column.name.clone())
            .collect();
        table.row_count = row_count;
        table.last_update = staleness::last_update(self.connector, table, &readable, row_count, self.options).await?;
        let stale = staleness::is_stale(table.last_update.as_ref(), self.options.now);
        if stale && self.options.skip_stale {
            let mut profile = self.empty_profile(table, SampleMethod::Nothing);
            profile.stale = true;
            profile.skipped = Some("stale tables are left out".to_owned());
            return Ok(profile);
        }
        let sample = sampling::draw(self.connector, table, &readable, row_count, self.options).await?;
        table.row_count = sample.row_count;
        let mut profile = self.empty_profile(table, sample.method.clone());
        profile.stale = stale;
        profile.rows_seen = sample.rows.len() as u64;
        let mut shown = sample.rows.clone();
        let mut position = 0;
        profile.columns.clear();
        for (column, mask) in table.columns.iter().zip(masks) {
            if mask.is_some() {
                profile.columns.push(ColumnProfile { masked: mask, ..ColumnProfile::empty(&column.name) });
                continue;
            }
            let tally = Tally::of(sample.rows.iter().map(|row| &row[position]));
            let figures = self.column(table, column, &tally, sample.coverage());
            if figures.masked.is_some() {
                shown.iter_mut().for_each(|row| row[position] = connect::Value::Null);
            }
            profile.columns.push(figures);
            position += 1;
        }
        profile.sample_rows = with_gaps(sample_rows::choose(&shown), &profile.columns, &readable);
        Ok(profile)
    }

    fn column(&self, table: &Table, column: &Column, tally: &Tally, coverage: Coverage) -> ColumnProfile {
        match self.options.sensitive.by_values(table, column, tally.some_texts()) {
            Some(reason) => {
                ColumnProfile { masked: Some(reason), ..tally.profile_without_values(&column.name, coverage) }
            }
            None => tally.profile(&column.name, coverage),
        }
    }

    fn snapshot_profile(&self, table: &Table, samples: &[(String, Vec<String>)]) -> TableProfile {
        let mut profile = self.empty_profile(table, SampleMethod::Snapshot);
        for (column, figures) in table.columns.iter().zip(&mut profile.columns) {
            let provided = samples.iter().find(|(name, _)| *name == column.name);
            let mut values: Vec<&str> = Vec::new();
            for value in provided.into_iter().flat_map(|(_, values)| values) {
                if !values.contains(&value.as_str()) {
                    values.push(value);
                }
            }
            figures.masked = self
                .options
                .sensitive
                .by_name(table, column)
                .or_else(|| self.options.sensitive.by_values(table, column, values.iter().copied()));
            if figures.masked.is_none() && !values.is_empty() {
                let stored = if column.type_class.is_numeric() { Stored::Numbers } else { Stored::Texts };
                figures.pattern = patterns::detect(&column.name, stored, values.iter().copied());
                figures.values = KnownValues::Some(values.into_iter().take(SNAPSHOT_VALUES).map(cut).collect());
            }
        }
        profile
    }

    fn empty_profile(&self, table: &Table, method: SampleMethod) -> TableProfile {
        TableProfile {
            table: table.id.clone(),
            fingerprint: table.fingerprint(),
            row_count: table.row_count,
            method,
            rows_seen: 0,
            profiled_at: self.options.now,
            columns: table.columns.iter().map(|column| ColumnProfile::empty(&column.name)).collect(),
            sample_rows: Vec::new(),
            stale: false,
            skipped: None,
        }
    }

    /// Infers keys over all tables, unless an earlier run finished that and nothing has changed since.
    async fn keys(&mut self) -> Result<(), CatalogError> {
        if self.source.indexed_at.is_some() {
            let entries = self.before.tables_of(&self.source.name);
            self.summary.keys_inferred = entries.map(|entry| inferred_keys(&entry.table)).sum();
            return Ok(());
        }
        let catalog = self.store.catalog()?;
        let entries: Vec<&Entry> = catalog.tables_of(&self.source.name).collect();
        let inferred = keys::infer(self.connector, &entries, self.options).await;
        for (entry, inferred) in entries.iter().zip(inferred) {
            let mut table = entry.table.clone();
            table.foreign_keys.retain(|key| key.origin == KeyOrigin::Declared);
            table.foreign_keys.extend(inferred);
            self.summary.keys_inferred += inferred_keys(&table);
            if table != entry.table {
                self.store.put_table(&table)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Summary, CatalogError> {
        self.source.indexed_at = Some(self.options.now);
        self.store.put_source(&self.source)?;
        Ok(self.summary)
    }
}

fn inferred_keys(table: &Table) -> usize {
    table.foreign_keys.iter().filter(|key| key.origin != KeyOrigin::Declared).count()
}

fn failed(table: &Table, error: &ConnectError) -> Outcome {
    tracing::warn!(table = %table.id, code = error.code(), %error, "the table can't be profiled");
    Outcome::Failed(error.code(), error.to_string())
}

/// Whether the number of rows has moved by more than [`ROW_COUNT_TOLERANCE`].
fn moved(before: Option<RowCount>, now: Option<RowCount>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => {
            let larger = before.value.max(now.value) as f64;
            before.value.abs_diff(now.value) as f64 > ROW_COUNT_TOLERANCE * larger
        }
        (before, now) => before.is_some() != now.is_some(),
    }
}

/// The rows with `None` in the place of columns that were not read.
fn with_gaps(
    rows: Vec<Vec<Option<String>>>,
    columns: &[ColumnProfile],
    readable: &[String],
) -> Vec<Vec<Option<String>>> {
    rows.into_iter()
        .map(|row| {
            let mut cells = row.into_iter();
            let was_read = |column: &ColumnProfile| readable.contains(&column.column);
            columns.iter().map(|column| if was_read(column) { cells.next().flatten() } else { None }).collect()
        })
        .collect()
}
