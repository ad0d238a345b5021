//! A whole run over one source, table by table.
//!
//! A table is finished when its profile is stored, which is one transaction: whatever ends the run between two tables
//! loses at most the one in hand, and the next run goes on behind it. What is stored never depends on what an earlier
//! part of the same run had in memory, so a resumed run ends with the catalog of an undisturbed one.

use std::collections::{HashMap, HashSet};

use catalog::{
    Catalog, CatalogError, Entry, ForeignKey, KeyOrigin, LastUpdate, SampleMethod, Source, Store, StructureChange,
    Table, TableId, TableKind, TableProfile,
};
use connect::{ConnectError, Connector, Engine, Introspect, ReadRows};
use futures_util::{FutureExt, StreamExt, stream};
use jiff::Timestamp;

use crate::changed::Changed;
use crate::error::ProfileError;
use crate::facts;
use crate::keys::{self, Codes};
use crate::options::{Options, Outcome, Progress, Summary};
use crate::origins::Origins;
use crate::pacing::Paced;
use crate::read::{Reader, TableRead, same_but_for_the_time};
use crate::renamed;
use crate::staleness;

/// Introspects a source, profiles every table that is new or has changed, and infers undeclared keys.
///
/// Dropping the future stops the run; everything reported through `on_progress` is stored by then. A table that can't
/// be read is reported and the others go on; without a connection none can.
///
/// # Errors
///
/// Where the source can't be introspected, goes away, or the catalog can't be written.
pub async fn profile_source(
    connector: &dyn Connector,
    store: &Store,
    options: &Options,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ProfileError> {
    let name = connector.source().name.clone();
    let connector = &Paced::new(connector, options.give_way);
    let introspection_error = |source| ProfileError::Introspection { source_name: name.clone(), source };
    let mut tables = connector.introspect().await.map_err(introspection_error)?;
    options.additions.iter().for_each(|additions| additions.add_to(&mut tables));
    let source = Source {
        search_path: connector.search_path().await.map_err(introspection_error)?,
        functions: connector.added_functions().await.map_err(introspection_error)?,
        ..connector.source().clone()
    };
    let catalog_error = |source| ProfileError::Catalog { source_name: name.clone(), source };
    let before = store.catalog().map_err(catalog_error)?;
    if let Some(on_structure) = &options.on_structure {
        let failed = |source| ProfileError::Structure { source_name: name.clone(), source };
        on_structure.call(&source, &tables).map_err(failed)?;
    }
    let mut run = Run::start(connector, store, options, &before, source, &tables).map_err(catalog_error)?;
    let changed_at = connector.changed_at().and_then(|at| Timestamp::try_from(at).ok());
    let made = options.lineage.map(|lineage| lineage(&run.source, &tables)).unwrap_or_default();
    let origins = Origins::new(&tables, made);
    on_progress(Progress::Started { tables: tables.len() });
    // What views are made from is looked at first: they are as sensitive as that.
    let (views, kept): (Vec<&Table>, Vec<&Table>) = tables.iter().partition(|table| table.kind == TableKind::View);
    let reader = Reader { connector, options, before: &before, changed_at, origins: &origins };
    run.read_all(&reader, &kept, on_progress).await?;
    if !views.is_empty() {
        let with_tables = store.catalog_after(&before).map_err(catalog_error)?;
        let reader = Reader { before: &with_tables, ..reader };
        run.read_all(&reader, &views, on_progress).await?;
    }
    let mut ending = run.ending();
    // What was stored before is as large as what is stored now, and needed no more.
    drop(before);
    ending.keys().await.map_err(catalog_error)?;
    ending.facts().await.map_err(catalog_error)?;
    on_progress(Progress::KeysInferred { count: ending.summary.keys_inferred });
    ending.summary.rested = connector.rested();
    ending.finish().map_err(catalog_error)
}

/// Takes joins that people use, by query logs, for keys where values agree; says how many were added. Where several keys begin at
/// a column, those by which nobody joins go.
///
/// # Errors
///
/// Where the catalog can't be read or written.
pub async fn add_joined_keys(
    connector: &dyn Connector,
    store: &Store,
    options: &Options,
) -> Result<usize, ProfileError> {
    let name = connector.source().name.clone();
    let connector = &Paced::new(connector, options.give_way);
    let catalog_error = |source| ProfileError::Catalog { source_name: name.clone(), source };
    let catalog = store.catalog().map_err(catalog_error)?;
    let found = keys::joined(connector, &catalog, &name, options).await;
    let mut changed: HashMap<TableId, Table> = HashMap::new();
    for (id, key) in &found {
        let Some(entry) = catalog.entry(id) else { continue };
        let table = changed.entry(id.clone()).or_insert_with(|| Table::clone(&entry.table));
        let usage = catalog.usage_of(entry);
        let is_used = |known: &ForeignKey| {
            let mut joins = usage.iter().flat_map(|usage| &usage.joins);
            joins.any(|join| join.with == known.ref_table && known.columns == [join.column.as_str()])
        };
        table
            .foreign_keys
            .retain(|known| known.origin == KeyOrigin::Declared || known.columns != key.columns || is_used(known));
        table.foreign_keys.push(key.clone());
    }
    changed.values().try_for_each(|table| store.put_table(table)).map_err(catalog_error)?;
    Ok(found.len())
}

struct Run<'a, 'b> {
    connector: &'a dyn ReadRows,
    store: &'a Store,
    options: &'a Options,
    source: Source,
    /// What was stored before.
    before: &'b Catalog,
    summary: Summary,
    /// Tables that have had their turn.
    done: usize,
    /// Those of them that have another profile now.
    profiled: HashSet<TableId>,
}

impl<'a, 'b> Run<'a, 'b> {
    fn start(
        connector: &'a dyn ReadRows,
        store: &'a Store,
        options: &'a Options,
        before: &'b Catalog,
        mut source: Source,
        tables: &[Table],
    ) -> Result<Self, CatalogError> {
        // Only these are known to the catalog alone.
        if let Some(stored) = before.source(&source.name) {
            source.description = source.description.or_else(|| stored.description.clone());
            source.indexed_at = stored.indexed_at;
            source.compared_at = stored.compared_at;
        }
        store.put_source(&source)?;
        // Before anybody can read them under their new names.
        let followed = renamed::masks(&source, before, tables);
        if !followed.is_empty() {
            store.add_rulings(&followed)?;
        }
        let changes = store.put_structure(&source.name, tables)?;
        let mut run = Self {
            connector,
            store,
            options,
            source,
            before,
            summary: Summary { tables: tables.len(), ..Summary::default() },
            done: 0,
            profiled: HashSet::new(),
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

    /// Reads these tables and stores what that came to, each when it is finished.
    async fn read_all(
        &mut self,
        reader: &Reader<'_>,
        tables: &[&Table],
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ProfileError> {
        let (name, total) = (self.source.name.clone(), self.summary.tables);
        let parallel = self.options.parallel_tables.clamp(1, self.connector.capabilities().parallel_tables.max(1));
        let read = |table| reader.read(table).map(move |reading| (table, reading));
        let mut readings = stream::iter(tables.iter().copied()).map(read).buffer_unordered(parallel);
        while let Some((table, reading)) = readings.next().await {
            if let TableRead::NotRead(_, source @ ConnectError::Unreachable { .. }) = reading {
                return Err(ProfileError::Lost { source_name: name, done: self.done, tables: total, source });
            }
            let catalog_error = |source| ProfileError::Catalog { source_name: name.clone(), source };
            let outcome = self.take(reader, table, reading).map_err(catalog_error)?;
            self.summary.count(&table.id, &outcome);
            self.done += 1;
            on_progress(Progress::Table { id: table.id.clone(), index: self.done, total, outcome });
        }
        Ok(())
    }

    /// Says that the catalog is being changed, until [`Ending::finish`]: a run that is cut off is not taken for a whole one.
    fn mark_unfinished(&mut self) -> Result<(), CatalogError> {
        if self.source.indexed_at.take().is_some() {
            self.store.put_source(&self.source)?;
        }
        Ok(())
    }

    /// Stores what reading a table came to.
    fn take(&mut self, reader: &Reader<'_>, table: &Table, reading: TableRead) -> Result<Outcome, CatalogError> {
        match reading {
            TableRead::Unchanged => Ok(Outcome::Unchanged),
            TableRead::Confirmed(profile) => {
                self.store.put_profile(&profile)?;
                Ok(Outcome::Unchanged)
            }
            TableRead::Profiled(read) => {
                let (table, profile) = *read;
                self.mark_unfinished()?;
                self.follow_renamed(&profile)?;
                self.store.put_profiled(&table, &profile)?;
                self.profiled.insert(table.id);
                Ok(profile.skipped.map_or(Outcome::Profiled, Outcome::Skipped))
            }
            TableRead::NotRead(read, error) => self.not_read(reader, table, &read, &error),
        }
    }

    /// Moves what people wrote about columns that have another name now.
    fn follow_renamed(&self, profile: &TableProfile) -> Result<(), CatalogError> {
        let Some(entry) = self.before.entry(&profile.table).filter(|entry| !entry.overrides.0.is_empty()) else {
            return Ok(());
        };
        let Some(before) = entry.profile() else { return Ok(()) };
        let renamed = renamed::columns(before, profile);
        let overrides = renamed::overrides(&entry.overrides, &renamed);
        if overrides != entry.overrides {
            self.store.put_overrides(&profile.table, &overrides)?;
        }
        Ok(())
    }

    /// What becomes of a table that could not be read. Where the database refuses the table itself, that is a property
    /// of the table and is stored; anything else (a lock, a time limit, damage) is a failure.
    fn not_read(
        &mut self,
        reader: &Reader<'_>,
        introspected: &Table,
        table: &Table,
        error: &ConnectError,
    ) -> Result<Outcome, CatalogError> {
        if !matches!(
            error,
            ConnectError::Statement { .. } | ConnectError::Denied { .. } | ConnectError::PermissionDenied { .. }
        ) {
            return Ok(failed(table, error));
        }
        let reason = format!("it can't be read: {error}");
        let mut profile = reader.empty_profile(table, SampleMethod::Nothing);
        // What an engine has against reading rows quotes their values; only who runs this is told.
        profile.skipped = Some(match error {
            ConnectError::Statement { .. } => {
                "it can't be read: the database reports an error, which `periplus index` shows".to_owned()
            }
            _ => "it can't be read: the database refuses it, which `periplus index` shows".to_owned(),
        });
        let before = self.before.entry(&introspected.id).and_then(Entry::profile);
        if !before.is_some_and(|before| same_but_for_the_time(before, &profile)) {
            self.mark_unfinished()?;
            self.store.put_profiled(table, &profile)?;
        }
        Ok(Outcome::Unreadable(reason))
    }

    fn ending(self) -> Ending<'a> {
        let known = self.before.tables_of(&self.source.name).map(|entry| inferred_keys(&entry.table)).sum();
        let Self { connector, store, options, source, summary, profiled, .. } = self;
        Ending { connector, store, options, source, summary, profiled, known, codes: Codes::default() }
    }
}

/// What is done when all tables are.
struct Ending<'a> {
    connector: &'a dyn ReadRows,
    store: &'a Store,
    options: &'a Options,
    source: Source,
    summary: Summary,
    /// Tables that have another profile since this run began.
    profiled: HashSet<TableId>,
    /// Keys that were inferred by an earlier run.
    known: usize,
    /// The codes of all tables, once they were read.
    codes: Codes,
}

impl Ending<'_> {
    /// Infers keys over all tables, unless an earlier run finished that and nothing has changed since.
    async fn keys(&mut self) -> Result<(), CatalogError> {
        if self.source.indexed_at.is_some() {
            self.summary.keys_inferred = self.known;
            return Ok(());
        }
        let catalog = self.store.catalog()?;
        let entries: Vec<&Entry> = catalog.tables_of(&self.source.name).collect();
        let changed = Changed::since(self.source.compared_at, &self.profiled, &entries);
        if changed.codes || changed.is_gone {
            self.codes = Codes::read(self.connector, &entries).await;
        }
        let inferred = keys::infer(self.connector, &entries, &self.codes, &changed, self.options).await;
        for (entry, inferred) in entries.iter().zip(inferred) {
            let mut table = Table::clone(&entry.table);
            table.foreign_keys.retain(|key| key.origin == KeyOrigin::Declared);
            table.foreign_keys.extend(inferred);
            self.summary.keys_inferred += inferred_keys(&table);
            if table != *entry.table {
                self.store.put_table(&table)?;
            }
        }
        Ok(())
    }

    /// Looks for what tables say together, unless an earlier run finished that and nothing has changed since.
    async fn facts(&mut self) -> Result<(), CatalogError> {
        if self.source.indexed_at.is_some() {
            return Ok(());
        }
        let catalog = self.store.catalog()?;
        let entries: Vec<&Entry> = catalog.tables_of(&self.source.name).collect();
        let changed = Changed::since(self.source.compared_at, &self.profiled, &entries);
        let found =
            facts::across(self.connector, &entries, &self.codes, &changed, &self.source.dialect, self.options).await;
        for (entry, found) in entries.iter().zip(found) {
            let Some(before) = entry.profile().filter(|profile| profile.skipped.is_none()) else { continue };
            let within =
                before.facts.iter().filter(|fact| !fact.is_across() && !facts::names_a_row(fact, entry, &entries));
            let profile = TableProfile { facts: within.cloned().chain(found).collect(), ..before.clone() };
            if !same_but_for_the_time(before, &profile) {
                self.store.put_profile(&profile)?;
            }
        }
        Ok(())
    }

    /// Marks as stale the tables that nobody has written to for over a year, while another table of the source goes on: a
    /// source that has come to rest as a whole is an archive, in which no table is worse than the others. Nor is what goes on being
    /// referred to: meters are old, and their readings of today.
    fn mark_stale(&self) -> Result<(), CatalogError> {
        let now = self.options.now;
        let mut dated: Vec<(TableId, LastUpdate, Option<bool>)> = Vec::new();
        let mut refers: HashMap<TableId, Vec<TableId>> = HashMap::new();
        let mut newest_of_any: HashMap<TableId, Timestamp> = HashMap::new();
        self.store.each_entry(&self.source.name, |entry| {
            let Some(update) = entry.table.last_update.clone() else { return };
            let profile = entry.profile().filter(|profile| profile.skipped.is_none());
            // That something was deleted or has ended says that somebody wrote.
            let any = profile.as_ref().and_then(|profile| staleness::newest_of_any(profile, now));
            newest_of_any.extend(any.map(|at| (entry.table.id.clone(), at)));
            let others = entry.table.foreign_keys.iter().map(|key| key.ref_table.clone());
            refers.insert(entry.table.id.clone(), others.filter(|other| *other != entry.table.id).collect());
            dated.push((entry.table.id.clone(), update, profile.map(|profile| profile.stale)));
        })?;
        let newest = staleness::end_of_data(dated.iter().map(|(_, update, _)| update));
        let old = |update: &LastUpdate| staleness::is_old(update, staleness::reference(update, newest, now));
        let goes_on = dated.iter().any(|(_, update, _)| !old(update));
        let going_on = dated.iter().filter(|(_, update, _)| !old(update)).filter_map(|(id, ..)| refers.get(id));
        let in_use: HashSet<&TableId> = going_on.flatten().collect();
        let is_other = |(id, update, stale): &(TableId, LastUpdate, Option<bool>)| {
            let is_written = newest_of_any.get(id).is_some_and(|at| !old(&LastUpdate { at: *at, ..update.clone() }));
            stale.is_some_and(|stale| stale != (goes_on && old(update) && !in_use.contains(id) && !is_written))
        };
        let changed: HashSet<TableId> = dated.iter().filter(|it| is_other(it)).map(|(id, ..)| id.clone()).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let mut profiles = Vec::with_capacity(changed.len());
        self.store.each_entry(&self.source.name, |entry| {
            if changed.contains(&entry.table.id) {
                profiles.extend(entry.into_profile());
            }
        })?;
        for profile in profiles {
            self.store.put_profile(&TableProfile { stale: !profile.stale, ..profile })?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Summary, CatalogError> {
        self.mark_stale()?;
        self.source.indexed_at = Some(self.options.now);
        self.source.compared_at = Some(self.options.now);
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
