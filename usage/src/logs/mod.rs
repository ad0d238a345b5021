//! Query logs of the engines, read from where they were read to before.
//!
//! A log is told by what it says, not by its name. Invariant: what isn't whole yet, at the end of a log that somebody is
//! writing, is left for the next time.

mod lines;
mod mysql;
mod postgres;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use dialect::QueryLogs;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::UsageError;
use crate::statement::Logged;

/// Bytes at the beginning of a file by which it is known again.
const HEAD_BYTES: u64 = 1024;
/// A single entry of more bytes is left out.
const LONGEST_ENTRY: usize = 4 << 20;
/// Folders in folders are looked into this deep.
const MAXIMUM_DEPTH: usize = 8;

/// How far a file has been read, which is known again by its beginning whatever it is called by now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The first byte that hasn't been read.
    pub(crate) offset: u64,
    /// Bytes that `head` is made of.
    pub(crate) head_bytes: u64,
    /// A hash of the first bytes.
    pub(crate) head: String,
}

/// The forms of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// PostgreSQL's csvlog.
    PostgresCsv,
    /// A JSON object a line: PostgreSQL's jsonlog, ClickHouse's `query_log` as JSONEachRow, an audit log.
    JsonLines,
    /// The general log of MariaDB and MySQL.
    MysqlGeneral,
    /// Their slow log.
    MysqlSlow,
}

impl Form {
    /// Whose form it is, where it is somebody's own.
    fn writer(self) -> Option<QueryLogs> {
        match self {
            Self::PostgresCsv => Some(QueryLogs::Postgres),
            Self::MysqlGeneral | Self::MysqlSlow => Some(QueryLogs::Mysql),
            Self::JsonLines => None,
        }
    }
}

/// A file that may be a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    /// Somebody has named it, rather than a folder that it is in.
    pub(crate) is_named: bool,
}

/// The files that these paths lead to: files, and those in folders, each once, sorted. PostgreSQL can write the same into
/// several files beside each other: of those one is read.
pub(crate) fn files_of(paths: &[PathBuf]) -> Result<Vec<Candidate>, UsageError> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => in_folder(path, 0, &mut files)?,
            false => files.push(Candidate { path: path.clone(), is_named: true }),
        }
    }
    files.sort();
    files.dedup_by(|one, other| one.path == other.path);
    let csv: BTreeSet<PathBuf> = files
        .iter()
        .map(|file| file.path.clone())
        .filter(|path| path.extension().is_some_and(|it| it == "csv"))
        .collect();
    files.retain(|file| {
        let is_json = file.path.extension().is_some_and(|it| it == "json");
        file.is_named || !is_json || !csv.contains(&file.path.with_extension("csv"))
    });
    Ok(files)
}

fn in_folder(folder: &Path, depth: usize, files: &mut Vec<Candidate>) -> Result<(), UsageError> {
    let unreadable = |source| UsageError::File { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // A link could lead in a circle, or anywhere.
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() && depth < MAXIMUM_DEPTH {
            in_folder(&entry.path(), depth + 1, files)?;
        } else if kind.is_file() {
            files.push(Candidate { path: entry.path(), is_named: false });
        }
    }
    Ok(())
}

/// What of a log's entries is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// The database, where the log tells of several.
    pub(crate) database: Option<&'a str>,
    /// The role that Periplus logs in with, whose statements are left out where a log doesn't tell programs apart.
    pub(crate) own_role: Option<&'a str>,
    /// Whose logs those of the source are.
    pub(crate) logs: Option<QueryLogs>,
}

impl Wanted<'_> {
    fn is_of_database(self, database: Option<&str>) -> bool {
        match (self.database, database) {
            (Some(wanted), Some(database)) if !database.is_empty() => wanted.eq_ignore_ascii_case(database),
            _ => true,
        }
    }

    fn is_own_role(self, user: Option<&str>) -> bool {
        self.own_role.is_some() && self.own_role == user
    }
}

/// A file that is being read.
pub(crate) struct Log<'p> {
    path: &'p Path,
    file: File,
    length: u64,
    head: Vec<u8>,
    /// Of the head.
    hash: String,
}

impl<'p> Log<'p> {
    pub(crate) fn open(path: &'p Path) -> Result<Self, UsageError> {
        let unreadable = |source| UsageError::File { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut head = Vec::new();
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
        let hash = hash(&head);
        Ok(Self { path, file, length, head, hash })
    }

    /// Whether that is how far this file was read before.
    pub(crate) fn is_of(&self, position: &Position) -> bool {
        let bytes = usize::try_from(position.head_bytes).unwrap_or(usize::MAX);
        let is_alike = || match self.head.get(..bytes) {
            Some(head) if bytes == self.head.len() => !head.is_empty() && self.hash == position.head,
            Some(head) => !head.is_empty() && hash(head) == position.head,
            None => false,
        };
        position.offset <= self.length && is_alike()
    }

    /// Reads what has been added since, at most so many bytes; says where it ended. `None` where nothing was added.
    pub(crate) fn read(
        self,
        since: u64,
        most: u64,
        wanted: Wanted<'_>,
        take: &mut dyn FnMut(Logged),
    ) -> Result<Option<Position>, UsageError> {
        let Self { path, mut file, length, head, hash } = self;
        let unreadable = |source| UsageError::File { path: path.to_owned(), source };
        if since == length {
            return Ok(None);
        }
        let Some(form) = form_of(&head) else { return Err(UsageError::UnknownForm { path: path.to_owned() }) };
        if form.writer().is_some_and(|writer| Some(writer) != wanted.logs) {
            return Err(UsageError::OtherEngine { path: path.to_owned() });
        }
        file.seek(SeekFrom::Start(since)).map_err(unreadable)?;
        // Whole lines: what is being written has no end yet.
        let mut part = Whole { inner: BufReader::new(file.take(most.min(length - since))), read: 0 };
        let read = match form {
            Form::PostgresCsv => postgres::csv(&mut part, wanted, take),
            Form::JsonLines => lines::json(&mut part, wanted, take),
            Form::MysqlGeneral => mysql::general(&mut part, wanted, take),
            Form::MysqlSlow => mysql::slow(&mut part, wanted, take),
        };
        read.map_err(unreadable)?;
        Ok(Some(Position { offset: since + part.read, head_bytes: head.len() as u64, head: hash }))
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Which form a file has, by its beginning.
fn form_of(head: &[u8]) -> Option<Form> {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let first = lines.next()?;
    if first.starts_with('{') {
        return Some(Form::JsonLines);
    }
    if text.contains("# User@Host:") || first.starts_with("# Time:") {
        return Some(Form::MysqlSlow);
    }
    let is_general = |line: &str| line.starts_with("Time") && line.contains("Id") && line.contains("Command");
    if text.lines().any(is_general) || mysql::begins_an_entry(first) {
        return Some(Form::MysqlGeneral);
    }
    // `2026-11-28 16:30:00.123 UTC,"user","database",…`
    let is_csv = first.get(..4).is_some_and(|year| year.bytes().all(|it| it.is_ascii_digit()))
        && first.matches(',').count() >= 3
        && first.find(',').is_some_and(|comma| comma >= "2026-11-28 16:30:00".len());
    is_csv.then_some(Form::PostgresCsv)
}

/// The whole lines of a part of a file, and how many of its bytes have been read for good.
pub(crate) struct Whole<R> {
    inner: R,
    read: u64,
}

impl<R: BufRead> Whole<R> {
    /// The next line with its end; `None` at the end, and where the last line has none.
    fn line(&mut self) -> Result<Option<String>, std::io::Error> {
        loop {
            let mut bytes = Vec::new();
            let size = self.inner.by_ref().take(LONGEST_ENTRY as u64).read_until(b'\n', &mut bytes)?;
            if bytes.last() == Some(&b'\n') {
                self.read += size as u64;
                return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
            }
            if size < LONGEST_ENTRY {
                return Ok(None);
            }
            // Too long to be a statement: the rest of the line is left out with it.
            let mut skipped = size as u64;
            loop {
                let mut more = Vec::new();
                let size = self.inner.by_ref().take(LONGEST_ENTRY as u64).read_until(b'\n', &mut more)?;
                skipped += size as u64;
                if more.last() == Some(&b'\n') {
                    break;
                }
                if size == 0 {
                    return Ok(None);
                }
            }
            self.read += skipped;
        }
    }
}
