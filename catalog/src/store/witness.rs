//! What people said of columns, a second time: a file of lines beside the catalog's own.
//!
//! A database file can be replaced by an older copy, and SQLite leaves out the end of a log that is damaged, without a word.
//! Everything else is found out again by looking at the database; what somebody said is not. So a ruling is a line of this
//! file, on the disk, before it is in the catalog, and [`Store::reconcile`] holds the two against each other whenever
//! the catalog is opened or read. What only one of them knows is added to the other, and that is noted in a line too.
//!
//! Invariant: lines are only ever added, by whoever holds the file's lock.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::sealing::{seal, texts, verify};
use super::{Store, decode, encode, key, put_part, read_key, reading};
use crate::deferred::PartKind;
use crate::error::CatalogError;
use crate::model::masks::{Decision, Ruling, Rulings};
use crate::model::structure::TableId;

/// What stands in the file, apart from lines that can't be read.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Said { table: TableId, ruling: Ruling },
    Note(WitnessNote),
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    #[serde(flatten)]
    line: Line,
    seal: String,
}

/// That the catalog and its witness once said different things of what people said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessNote {
    /// Which of them lacked something.
    pub lacking: Lacking,
    /// When that was found, and repaired.
    pub at: Timestamp,
    /// How many rulings it lacked.
    pub rulings: usize,
}

/// Who didn't know of a ruling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lacking {
    /// The catalog: it is an older copy, its log was lost, or it was made anew.
    Catalog,
    /// The witness: it was deleted or cut, or there was none yet.
    Witness,
}

/// What a witness says.
#[derive(Clone, Debug, Default)]
pub struct Testimony {
    /// What was repaired, the oldest first.
    pub notes: Vec<WitnessNote>,
    /// Lines that can't be read.
    pub unreadable: usize,
    /// What people said, by the key of the table.
    pub(super) said: BTreeMap<String, Rulings>,
}

/// The file.
#[derive(Debug)]
pub(super) struct Witness {
    path: PathBuf,
}

impl Witness {
    /// That of the catalog in this file.
    pub(super) fn beside(catalog: &Path) -> Self {
        Self { path: catalog.with_extension("rulings.jsonl") }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, source: io::Error) -> CatalogError {
        CatalogError::Witness { path: self.path.clone(), source }
    }

    fn read(&self) -> Result<Testimony, CatalogError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Testimony::of(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Testimony::default()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The file, for whoever writes next; nobody else does until it is dropped.
    fn locked(&self) -> Result<File, CatalogError> {
        let is_new = !self.path.exists();
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.create(true).read(true).append(true).open(&self.path).map_err(|error| self.failed(error))?;
        if is_new && let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            // That there is such a file has to be on the disk, too. Not every system can be asked for that.
            File::open(folder).and_then(|folder| folder.sync_all()).ok();
        }
        file.lock().map_err(|error| self.failed(error))?;
        Ok(file)
    }

    /// Adds lines; they are on the disk when this comes back.
    fn add(&self, mut file: &File, lines: impl IntoIterator<Item = Line>) -> Result<(), CatalogError> {
        let mut text = String::new();
        for line in lines {
            let seal = seal("witness", "", &encode(&line));
            text.push_str(&encode(&Sealed { line, seal }));
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let mut write = || {
            // What a crash has left of a line ends here.
            if file.seek(SeekFrom::End(0))? > 0 {
                let mut last = [0];
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
                if last != *b"\n" {
                    text.insert(0, '\n');
                }
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|error| self.failed(error))
    }
}

impl Testimony {
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let line = serde_json::from_str::<Sealed>(line).ok();
            match line.filter(|it| verify("witness", "", &encode(&it.line), &it.seal).is_ok()).map(|it| it.line) {
                Some(Line::Said { table, ruling }) => found.said.entry(key(&table)).or_default().0.push(ruling),
                Some(Line::Note(note)) => found.notes.push(note),
                None => found.unreadable += 1,
            }
        }
        found.said.values_mut().for_each(|rulings| sort(&mut rulings.0));
        found
    }
}

/// Puts the newest last and, of what was said at one moment, a mask.
fn sort(rulings: &mut [Ruling]) {
    rulings.sort_by_key(|ruling| (ruling.at, ruling.decision == Decision::Mask));
}

/// Each ruling at a later moment than the one before it, whatever the clock said.
fn in_order(rulings: &mut [Ruling]) {
    for next in 1..rulings.len() {
        rulings[next].at = rulings[next].at.max(just_after(rulings[next - 1].at));
    }
}

fn just_after(at: Timestamp) -> Timestamp {
    at.checked_add(1.nanosecond()).unwrap_or(at)
}

/// What people said, as it lies in the catalog, by the key of the table; `None` where it can't be read.
fn stored(connection: &Connection) -> Result<BTreeMap<String, Option<Rulings>>, CatalogError> {
    let mut statement = connection.prepare_cached("SELECT table_id, body, seal FROM rulings")?;
    let rows = statement.query_map([], |row| Ok(texts::<3>(row)))?;
    let mut stored = BTreeMap::new();
    for row in rows {
        let [key, body, sealed] = row?;
        let whole = verify("rulings", &key, &body, &sealed).is_ok();
        stored.insert(key, whole.then(|| decode(&body, "ruling").ok()).flatten());
    }
    Ok(stored)
}

impl Store {
    /// Columns that people masked and that aren't there any more, though what is known of their tables is: they may have another
    /// name by now, under which nothing masks them.
    ///
    /// # Errors
    /// The usual.
    pub fn masks_without_a_column(&self) -> Result<Vec<(TableId, String)>, CatalogError> {
        let catalog = self.catalog()?;
        let mut dropped = Vec::new();
        for source in catalog.sources() {
            dropped.extend(self.dropped(&source.name)?.into_iter().map(|(id, _)| id));
        }
        let mut gone = Vec::new();
        for (key, rulings) in stored(&self.connection)? {
            let (Some(id), Some(rulings)) = (read_key(&key), rulings) else { continue };
            let entry = catalog.entry(&id);
            if entry.is_none() && !dropped.contains(&id) {
                continue;
            }
            let last: BTreeMap<&str, Decision> =
                rulings.0.iter().map(|ruling| (ruling.column.as_str(), ruling.decision)).collect();
            let is_gone = |column: &str| entry.is_none_or(|entry| entry.table.column(column).is_none());
            let masked = last.into_iter().filter(|(column, said)| *said == Decision::Mask && is_gone(column));
            gone.extend(masked.map(|(column, _)| (id.clone(), column.to_owned())));
        }
        Ok(gone)
    }

    /// Adds what somebody says of columns, all of it or nothing. It is on the disk when this comes back.
    ///
    /// # Errors
    /// Where what was said before can't be read, besides the usual.
    pub fn add_rulings(&self, rulings: &[(TableId, Ruling)]) -> Result<(), CatalogError> {
        let locked = self.witness.as_ref().map(|witness| witness.locked().map(|file| (witness, file))).transpose()?;
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let mut stored = stored(&transaction)?;
        let mut lines = Vec::with_capacity(rulings.len());
        let mut changed = BTreeSet::new();
        for (table, ruling) in rulings {
            let said = stored.entry(key(table)).or_insert_with(|| Some(Rulings::default()));
            let said = said.as_mut().ok_or_else(|| CatalogError::Rulings { table: table.local() })?;
            let mut ruling = ruling.clone();
            if let Some(last) = said.0.last() {
                ruling.at = ruling.at.max(just_after(last.at));
            }
            said.0.push(ruling.clone());
            changed.insert(key(table));
            lines.push(Line::Said { table: table.clone(), ruling });
        }
        for (table, said) in stored.iter().filter(|(table, _)| changed.contains(*table)) {
            if let (Some(table), Some(said)) = (read_key(table), said) {
                put_part(&transaction, &table, PartKind::Rulings, said)?;
            }
        }
        transaction.execute(super::BUMP, [])?;
        // Last, so that what can fail in the catalog has; a ruling that is here alone is put back.
        if let Some((witness, file)) = &locked {
            witness.add(file, lines)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// What lies beside the catalog: what was put back, and lines that can't be read. Nothing of a catalog without a file.
    pub fn testimony(&self) -> Result<Testimony, CatalogError> {
        self.witness.as_ref().map_or_else(|| Ok(Testimony::default()), Witness::read)
    }

    /// The file beside the catalog in which what people said of columns stands, too.
    pub fn witness_path(&self) -> Option<&Path> {
        self.witness.as_ref().map(Witness::path)
    }

    /// Sees to it that the catalog and its witness know the same rulings: all that either of them knew. What people said is
    /// handed back by the key of the table.
    pub(super) fn reconcile(&self) -> Result<BTreeMap<String, Rulings>, CatalogError> {
        let Some(witness) = &self.witness else { return Ok(BTreeMap::new()) };
        let (told, known) = (witness.read()?, stored(&self.connection)?);
        // A row that can't be read is told as damage, where the witness has nothing to put in its place.
        let agree = known.iter().all(|(table, known)| known.is_none() || told.said.get(table) == known.as_ref());
        if agree && told.said.iter().all(|(table, told)| known.get(table).is_some_and(|it| it.as_ref() == Some(told))) {
            return Ok(told.said);
        }
        let file = witness.locked()?;
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let (told, mut known) = (witness.read()?, stored(&transaction)?);
        let (mut lines, mut put_back) = (Vec::new(), Vec::new());
        let (mut catalog_lacked, mut witness_lacked) = (0, 0);
        let mut agreed = BTreeMap::new();
        let tables: BTreeSet<String> = told.said.keys().chain(known.keys()).cloned().collect();
        for table in tables {
            let Some(id) = read_key(&table) else { continue };
            let told_of_it = told.said.get(&table).cloned().unwrap_or_default();
            let known_of_it = match known.remove(&table) {
                // Who doesn't know all lines can't say that these are all.
                Some(None) if told.unreadable > 0 || told_of_it.0.is_empty() => continue,
                Some(None) | None => None,
                Some(known) => known,
            };
            let mut all = known_of_it.clone().unwrap_or_default();
            in_order(&mut all.0);
            let new: Vec<Ruling> = all.0.iter().filter(|it| !told_of_it.0.contains(it)).cloned().collect();
            let missing: Vec<Ruling> = told_of_it.0.into_iter().filter(|it| !all.0.contains(it)).collect();
            (catalog_lacked, witness_lacked) = (catalog_lacked + missing.len(), witness_lacked + new.len());
            lines.extend(new.into_iter().map(|ruling| Line::Said { table: id.clone(), ruling }));
            if !missing.is_empty() {
                put_back.push(id.clone());
            }
            all.0.extend(missing);
            sort(&mut all.0);
            if known_of_it.as_ref() != Some(&all) {
                put_part(&transaction, &id, PartKind::Rulings, &all)?;
            }
            agreed.insert(table, all);
        }
        let at = Timestamp::now();
        for (lacking, rulings) in [(Lacking::Catalog, catalog_lacked), (Lacking::Witness, witness_lacked)] {
            if rulings > 0 {
                tracing::warn!(?lacking, rulings, "what people said of columns was put back");
                lines.push(Line::Note(WitnessNote { lacking, at, rulings }));
            }
        }
        if !put_back.is_empty() {
            // What was derived from that revision was perhaps derived from another state.
            transaction.execute("UPDATE state SET revision = revision + 1, origin = lower(hex(randomblob(8)))", [])?;
        }
        witness.add(&file, lines)?;
        transaction.commit()?;
        drop(file);
        if !put_back.is_empty() {
            self.withhold(&put_back, &agreed)?;
        }
        Ok(agreed)
    }

    /// Takes the values of columns that those which they are made from have closed out of the stored profiles: what was found
    /// or said of other tables may have come later. Whoever reads the catalog is shown what they were before, so that its
    /// revision stays. What is taken out is erased by [`Store::erase_removed`].
    pub fn withhold_inherited(&self) -> Result<(), CatalogError> {
        let catalog = self.catalog()?;
        let heirs = catalog.entries().iter().filter(|entry| entry.columns_closed_by_origins().next().is_some());
        let transaction = self.connection.unchecked_transaction()?;
        for entry in heirs {
            let (key, Some(profile)) = (key(&entry.table.id), entry.profile()) else { continue };
            let body = encode(profile);
            // What somebody has written since is not replaced by what was read before.
            transaction
                .prepare_cached(
                    "UPDATE profiles SET body = ?2, seal = ?3 WHERE table_id = ?1 AND body <> ?2 AND revision <= ?4",
                )?
                .execute(params![key, body, seal("profiles", &key, &body), catalog.revision().cast_signed()])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Takes what is masked by now out of the profiles of these tables.
    fn withhold(&self, tables: &[TableId], rulings: &BTreeMap<String, Rulings>) -> Result<(), CatalogError> {
        let catalog = reading::deferred_catalog(&self.path, &self.rules, rulings, None)?;
        for table in tables {
            if let Some(profile) = catalog.entry(table).and_then(|entry| entry.profile()) {
                self.put_profile(profile)?;
            }
        }
        drop(catalog);
        self.erase_removed().map(drop)
    }
}

#[cfg(test)]
mod tests;
