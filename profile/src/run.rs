//! A whole run over one source, table by table.
//!
//! A table is finished when its profile is stored, which is one transaction: whatever ends the run between two tables
//! loses at most the one in hand, and the next run goes on behind it. What is stored never depends on what an earlier
//! part of the same run had in memory, so a resumed run ends with the catalog of an undisturbed one.

use std::collections::HashSet;

use catalog::{
    CatalogError, Column, ColumnProfile, Entry, Exactness, KeyOrigin, KnownValues, LastUpdate, RowCount, SampleMethod,
    Source, Store, StructureChange, Table, TableProfile,
};
use connect::{ConnectError, Connector};
use jiff::Timestamp;

use crate::error::ProfileError;
use crate::keys;
use crate::options::{Options, Outcome, Progress, Summary};
use crate::patterns::{self, Stored};
use crate::sample_rows;
use crate::sampling;
use crate::sensitivity;
use crate::staleness;
use crate::statistics::{Coverage, Tally, cut};

/// Share of its rows that a table that isn't read whole may gain or lose before it is profiled again.
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
    /// When the database was last written to, where that can be told.
    changed_at: Option<Timestamp>,
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
            changed_at: connector.changed_at().and_then(|at| Timestamp::try_from(at).ok()),
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
            Err(error) => return self.not_read(&table, stored_profile.as_ref(), &error),
        };
        let known = table.clone();
        let holding = stored_profile
            .as_ref()
            .filter(|profile| !self.options.full && self.still_holds(&table, profile, row_count));
        if holding.is_some_and(|profile| !self.written_since(profile)) {
            return Ok(Outcome::Unchanged);
        }
        let profile = match self.profile(&mut table, row_count).await {
            Ok(profile) => profile,
            Err(error) => return self.not_read(&table, stored_profile.as_ref(), &error),
        };
        // What was written was another table.
        if table == known && holding.is_some_and(|before| same_but_for_the_time(before, &profile)) {
            self.store.put_profile(&profile)?;
            return Ok(Outcome::Unchanged);
        }
        self.mark_unfinished()?;
        // The profile comes last: it is what says that the table is finished.
        self.store.put_table(&table)?;
        self.store.put_profile(&profile)?;
        Ok(profile.skipped.map_or(Outcome::Profiled, Outcome::Skipped))
    }

    /// What becomes of a table that could not be read. Where the database refuses the table itself, that is a property
    /// of the table and is stored; anything else (a lock, a time limit, damage) is a failure.
    fn not_read(
        &mut self,
        table: &Table,
        before: Option<&TableProfile>,
        error: &ConnectError,
    ) -> Result<Outcome, CatalogError> {
        if !matches!(error, ConnectError::Statement { .. } | ConnectError::Denied { .. }) {
            return Ok(failed(table, error));
        }
        let reason = format!("it can't be read: {error}");
        let mut profile = self.empty_profile(table, SampleMethod::Nothing);
        profile.skipped = Some(reason.clone());
        if !before.is_some_and(|before| same_but_for_the_time(before, &profile)) {
            self.mark_unfinished()?;
            self.store.put_table(table)?;
            self.store.put_profile(&profile)?;
        }
        Ok(Outcome::Unreadable(reason))
    }

    /// Whether rows may have been changed in place since, in a table that is small enough to look.
    fn written_since(&self, profile: &TableProfile) -> bool {
        let written = self.changed_at.is_some_and(|at| at >= profile.profiled_at);
        written && profile.method == SampleMethod::AllRows
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
            && !self.moved(profile.row_count, row_count)
    }

    /// Whether the number of rows has moved: at all in a table that is read whole, else by more than
    /// [`ROW_COUNT_TOLERANCE`].
    fn moved(&self, before: Option<RowCount>, now: Option<RowCount>) -> bool {
        match (before, now) {
            (Some(before), Some(now)) => {
                let larger = before.value.max(now.value);
                let whole = larger <= self.options.all_rows_below
                    && before.exactness == Exactness::Exact
                    && now.exactness == Exactness::Exact;
                let tolerance = if whole { 0.0 } else { ROW_COUNT_TOLERANCE * larger as f64 };
                before.value.abs_diff(now.value) as f64 > tolerance
            }
            (before, now) => before.is_some() != now.is_some(),
        }
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
        if self.options.skip_stale && self.is_stale(table) {
            return Ok(self.left_out(table));
        }
        let sample = sampling::draw(self.connector, table, &readable, row_count, self.options).await?;
        table.row_count = sample.row_count;
        let mut profile = self.empty_profile(table, sample.method.clone());
        profile.rows_seen = sample.rows.len() as u64;
        let mut shown = sample.rows.clone();
        let mut position = 0;
        let mut dated = None;
        profile.columns.clear();
        for (column, mask) in table.columns.iter().zip(masks) {
            if mask.is_some() {
                profile.columns.push(ColumnProfile { masked: mask, ..ColumnProfile::empty(&column.name) });
                continue;
            }
            let mut tally = Tally::of(sample.rows.iter().map(|row| &row[position]));
            let (figures, left_out) = self.column(table, column, &mut tally, sample.coverage());
            for cell in shown.iter_mut().map(|row| &mut row[position]) {
                let is_left_out = || cell.as_text().is_some_and(|text| left_out.contains(&text));
                if figures.masked.is_some() || (!left_out.is_empty() && is_left_out()) {
                    *cell = connect::Value::Null;
                }
            }
            let values = sample.rows.iter().map(|row| &row[position]);
            let seen = staleness::last_update_in(table, &figures, values, self.options.now);
            if let Some(seen) = seen
                && dated.as_ref().or(table.last_update.as_ref()).is_none_or(|known: &LastUpdate| seen.at > known.at)
            {
                dated = Some(seen);
            }
            profile.columns.push(figures);
            position += 1;
        }
        table.last_update = dated.or(table.last_update.take());
        profile.stale = self.is_stale(table);
        if profile.stale && self.options.skip_stale {
            return Ok(self.left_out(table));
        }
        profile.sample_rows = with_gaps(sample_rows::choose(&shown), &profile.columns, &readable);
        Ok(profile)
    }

    /// The figures of a column, and which of its values may not be told.
    fn column(
        &self,
        table: &Table,
        column: &Column,
        tally: &mut Tally,
        coverage: Coverage,
    ) -> (ColumnProfile, HashSet<String>) {
        if let Some(reason) = self.options.sensitive.by_values(table, column, tally.some_texts()) {
            let figures = tally.profile_without_values(&column.name, coverage);
            return (ColumnProfile { masked: Some(reason), ..figures }, HashSet::new());
        }
        let left_out = self.options.sensitive.revealing(table, column, tally.texts());
        tally.withhold(&left_out);
        (tally.profile(&column.name, coverage), left_out)
    }

    /// Whether the table has not changed for over a year. Where only dates of its own tell (of orders, of events), it
    /// has to be compared with the other tables first, which [`Run::finish`] does: until then what it said last holds.
    fn is_stale(&self, table: &Table) -> bool {
        let Some(update) = &table.last_update else { return false };
        let stored = || self.before.entry(&table.id).and_then(|entry| entry.profile.as_ref());
        staleness::is_old(update, self.options.now)
            && (!staleness::is_own_date(update) || stored().is_some_and(|profile| profile.stale))
    }

    fn left_out(&self, table: &Table) -> TableProfile {
        let mut profile = self.empty_profile(table, SampleMethod::Nothing);
        profile.stale = true;
        profile.skipped = Some("stale tables are left out".to_owned());
        profile
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
            let left_out = self.options.sensitive.revealing(table, column, values.iter().copied());
            values.retain(|value| !left_out.contains(*value));
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
            write_mark: None,
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

    /// Marks as stale the tables whose own dates end over a year ago, while another table of the source goes on: a
    /// source that has come to rest as a whole is an archive, in which no table is worse than the others.
    fn mark_stale(&self) -> Result<(), CatalogError> {
        let catalog = self.store.catalog()?;
        let old = |update| staleness::is_old(update, self.options.now);
        let updates = catalog.tables_of(&self.source.name).filter_map(|entry| entry.table.last_update.as_ref());
        let goes_on = updates.into_iter().any(|update| !old(update));
        for entry in catalog.tables_of(&self.source.name) {
            let (Some(profile), Some(update)) = (&entry.profile, &entry.table.last_update) else { continue };
            let stale = goes_on && old(update);
            if staleness::is_own_date(update) && profile.skipped.is_none() && profile.stale != stale {
                self.store.put_profile(&TableProfile { stale, ..profile.clone() })?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Summary, CatalogError> {
        self.mark_stale()?;
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

/// Whether two profiles differ in nothing but when they were made.
fn same_but_for_the_time(before: &TableProfile, now: &TableProfile) -> bool {
    coarse(before.clone()) == coarse(TableProfile { profiled_at: before.profiled_at, ..now.clone() })
}

/// A profile with its shares in single precision: the last digit of one that was stored as text may differ.
fn coarse(mut profile: TableProfile) -> TableProfile {
    for column in &mut profile.columns {
        let figures = [&mut column.null_fraction, &mut column.distinct_ratio, &mut column.average_length];
        let figures = figures.into_iter().flatten();
        let shares = column.most_common.iter_mut().map(|common| &mut common.fraction);
        for figure in figures.chain(shares).chain(column.pattern.as_mut().map(|pattern| &mut pattern.share)) {
            *figure = f64::from(*figure as f32);
        }
    }
    profile
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
