//! What has been read of a source's logs so far: how far each was read, and every statement that differs from the others,
//! with how often and by how many it was run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Exposure, TableId, Usage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::UsageError;
use crate::habits::usage_of;
use crate::logs::{self, Candidate, Log, Position, Wanted};
use crate::record::{Reader, Record, Understood};
use crate::statement::Logged;

/// The version of the file's layout. One of another version counts as none.
const VERSION: u32 = 2;
/// Statements that are kept; of more, those go that were run least.
const MOST_STATEMENTS: usize = 20_000;
/// Reasons that are told for statements that couldn't be understood.
const MOST_REASONS: usize = 10;
/// Users that are told apart for one statement.
const MOST_USERS: usize = 64;
/// Bytes of logs that are read at a time; the next reading goes on behind them.
const MOST_BYTES: u64 = 2 << 30;

/// What is known of the statements over a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// What users are hashed with: a hash means nothing outside of this journal.
    salt: String,
    /// How far files were read.
    files: Vec<Position>,
    /// How often the engine's own statistics had counted a statement when they were last read.
    counted: BTreeMap<String, u64>,
    statements: BTreeMap<String, Statement>,
    runs: u64,
    not_understood: u64,
    /// Those by why not.
    #[serde(default)]
    why_not: BTreeMap<String, u64>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

/// A statement that differs from the others in more than its constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statement {
    pub(crate) record: Record,
    pub(crate) runs: u64,
    pub(crate) users: BTreeSet<String>,
    pub(crate) last: Option<Timestamp>,
}

impl Statement {
    /// How many say what it says: each who ran it once, however often.
    pub(crate) fn voices(&self) -> u32 {
        u32::try_from(self.users.len().max(1)).unwrap_or(u32::MAX)
    }
}

/// How reading goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Statements read so far, at this reading.
    pub statements: u64,
    /// Files that are done.
    pub files: usize,
    /// Those of them that are logs.
    pub logs: usize,
    /// Files there are.
    pub of_files: usize,
    /// Whether more is left than is read at a time.
    pub is_more: bool,
}

impl Journal {
    /// An empty one; `salt` is any random text.
    pub fn new(salt: String) -> Self {
        Self {
            version: VERSION,
            salt,
            files: Vec::new(),
            counted: BTreeMap::new(),
            statements: BTreeMap::new(),
            runs: 0,
            not_understood: 0,
            why_not: BTreeMap::new(),
            since: None,
            until: None,
        }
    }

    /// What is kept in a file; `None` where there is none of this version.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn load(path: &Path) -> Result<Option<Self>, UsageError> {
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read(path).map_err(|source| UsageError::File { path: path.to_owned(), source })?;
        let damaged = |_| UsageError::Damaged { path: path.to_owned() };
        #[derive(Deserialize)]
        struct OnlyVersion {
            version: u32,
        }
        let OnlyVersion { version } = serde_json::from_slice(&text).map_err(damaged)?;
        match version == VERSION {
            true => serde_json::from_slice(&text).map(Some).map_err(damaged),
            false => Ok(None),
        }
    }

    /// Keeps it in a file, in the place of what was kept there.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), UsageError> {
        let failed = |source| UsageError::Write { path: path.to_owned(), source };
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        // Who reads it meanwhile reads the whole of what was there before.
        let beside = path.with_extension("json.new");
        fs::write(&beside, text).map_err(failed)?;
        fs::rename(&beside, path).map_err(failed)
    }

    /// Reads what these files, and the files in these folders, hold since they were last read.
    ///
    /// `database` is the source's, and `own_role` the role that Periplus logs in with: what it runs itself is nobody's habit.
    ///
    /// # Errors
    /// Where a file can't be read, or isn't a log; what was read before stays.
    pub fn read_files(
        &mut self,
        paths: &[PathBuf],
        reader: &Reader<'_>,
        database: Option<&str>,
        own_role: Option<&str>,
        told: &mut dyn FnMut(Progress),
    ) -> Result<Progress, UsageError> {
        let files = logs::files_of(paths)?;
        let mut progress = Progress { of_files: files.len(), ..Progress::default() };
        let mut left = MOST_BYTES;
        let mut met = Met::default();
        let wanted = Wanted { database, own_role, logs: reader.dialect().names().query_logs };
        for Candidate { path, is_named } in files {
            if left == 0 {
                progress.is_more = true;
                break;
            }
            let log = Log::open(&path)?;
            let known = self.files.iter().position(|position| log.is_of(position));
            let since = known.map_or(0, |known| self.files[known].offset);
            let read = log.read(since, left, wanted, &mut |logged| {
                self.add(&logged, reader, &mut met);
                progress.statements += 1;
                if progress.statements.is_multiple_of(1_000) {
                    told(progress);
                }
            });
            progress.files += 1;
            let read = match read {
                // A folder of logs holds other files as well.
                Err(UsageError::UnknownForm { .. }) if !is_named => continue,
                read => read?,
            };
            progress.logs += 1;
            let Some(position) = read else { continue };
            left = left.saturating_sub(position.offset - since);
            match known {
                Some(known) => self.files[known] = position,
                None => self.files.push(position),
            }
        }
        self.forget_the_least();
        Ok(progress)
    }

    /// Adds what an engine's own statistics have counted: every statement with how often it was run since they began.
    /// Says how many runs are new.
    pub fn read_statistics(&mut self, statements: &[Logged], reader: &Reader<'_>) -> u64 {
        let mut met = Met::default();
        let mut runs = 0;
        // What the engine counts no more is forgotten.
        let earlier = std::mem::take(&mut self.counted);
        for logged in statements {
            let key = self.hashed(&format!("{}\n{}", logged.user.as_deref().unwrap_or_default(), logged.sql));
            let before = earlier.get(&key).copied().unwrap_or_default();
            self.counted.insert(key, logged.runs);
            // Fewer than before: they began anew.
            let since = if logged.runs >= before { logged.runs - before } else { logged.runs };
            runs += since;
            if since > 0 {
                self.add(&Logged { runs: since, ..logged.clone() }, reader, &mut met);
            }
        }
        self.forget_the_least();
        runs
    }

    fn add(&mut self, logged: &Logged, reader: &Reader<'_>, met: &mut Met) {
        let Some(normalised) = sql::normalised(&logged.sql, reader.dialect()) else {
            return self.miss("text that can't be read".to_owned(), logged.runs);
        };
        let found = met.of(&normalised, &logged.sql, reader);
        let (key, record) = match found {
            Found::Statement(key, record) => (key, record),
            Found::Elsewhere => return,
            Found::Nothing(why) => return self.miss(why, logged.runs),
        };
        self.runs += logged.runs;
        if let Some(at) = logged.at {
            self.since = Some(self.since.map_or(at, |since| since.min(at)));
            self.until = Some(self.until.map_or(at, |until| until.max(at)));
        }
        let user = logged.user.as_deref().map(|user| self.hashed(user));
        let statement = self.statements.entry(key).or_insert_with(|| Statement {
            record: record.clone(),
            runs: 0,
            users: BTreeSet::new(),
            last: None,
        });
        statement.runs += logged.runs;
        statement.last = statement.last.max(logged.at);
        if statement.users.len() < MOST_USERS {
            statement.users.extend(user);
        }
        // However much is read at a time, no more is held than about that.
        if self.statements.len() > 2 * MOST_STATEMENTS {
            self.forget_the_least();
        }
    }

    /// Forgets conditions and expressions over columns that may not be shown any more.
    pub fn forget_masked(&mut self, catalog: &Catalog) {
        let is_open = |table: &TableId, column: &str| {
            catalog.entry(table).is_none_or(|entry| *entry.exposure(column) == Exposure::Open)
        };
        for Statement { record, .. } in self.statements.values_mut() {
            for read in &mut record.reads {
                let table = &read.table;
                read.tests.retain(|tested| is_open(table, &tested.column));
            }
            record.measures.retain(|measure| measure.columns.iter().all(|it| is_open(&it.table, &it.column)));
        }
    }

    fn miss(&mut self, why: String, runs: u64) {
        self.not_understood += runs;
        *self.why_not.entry(why).or_default() += runs;
    }

    fn hashed(&self, text: &str) -> String {
        short_hash(&format!("{}\n{text}", self.salt))
    }

    fn forget_the_least(&mut self) {
        let Some(too_many) = self.statements.len().checked_sub(MOST_STATEMENTS).filter(|it| *it > 0) else { return };
        let mut least: Vec<(u64, Option<Timestamp>, String)> =
            self.statements.iter().map(|(key, it)| (it.runs, it.last, key.clone())).collect();
        least.sort();
        for (_, _, key) in least.into_iter().take(too_many) {
            self.statements.remove(&key);
        }
    }

    /// Why statements couldn't be understood, the most frequent reasons first.
    fn why_not(&self) -> Vec<(String, u64)> {
        let mut reasons: Vec<(String, u64)> = self.why_not.iter().map(|(why, runs)| (why.clone(), *runs)).collect();
        reasons.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
        reasons.truncate(MOST_REASONS);
        reasons
    }

    /// What follows from it for the tables that the catalog knows.
    pub fn usage(&self, catalog: &Catalog, source: &str) -> Usage {
        let statements: Vec<&Statement> = self.statements.values().collect();
        Usage {
            since: self.since,
            until: self.until,
            runs: self.runs,
            not_understood: self.not_understood,
            why_not: self.why_not(),
            tables: usage_of(&statements, catalog, source),
        }
    }
}

fn short_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Statements that were met at one reading: most come again with nothing but other constants.
#[derive(Default)]
struct Met {
    /// By their text without constants, those of which no constant counts.
    without_constants: HashMap<String, Found>,
}

#[derive(Clone)]
enum Found {
    Statement(String, Record),
    Elsewhere,
    Nothing(String),
}

impl Met {
    fn of(&mut self, normalised: &str, sql: &str, reader: &Reader<'_>) -> Found {
        if let Some(found) = self.without_constants.get(normalised) {
            return found.clone();
        }
        let (found, counts) = match reader.read(sql) {
            Understood::Nothing(why) => (Found::Nothing(why), false),
            Understood::Elsewhere => (Found::Elsewhere, false),
            Understood::Of(record) => {
                let tests: Vec<_> = record.reads.iter().flat_map(|read| &read.tests).collect();
                let said = serde_json::to_string(&(normalised, &tests)).unwrap_or_default();
                let counts = !tests.is_empty() || !record.measures.is_empty();
                (Found::Statement(short_hash(&said), record), counts)
            }
        };
        if !counts {
            if self.without_constants.len() >= MOST_STATEMENTS {
                self.without_constants.clear();
            }
            self.without_constants.insert(normalised.to_owned(), found.clone());
        }
        found
    }
}
