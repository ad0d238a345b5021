//! The record of what was asked of the databases: every statement with its verdict, and how it went.
//!
//! One JSON object a line. The verdict is written before the statement runs (the engine has compiled it by then, which
//! is part of the verdict); what can't be recorded doesn't run. A file that has become too long is moved aside, and the
//! oldest is removed. With a chain each line is sealed ([`seal`]), with a key nobody else can seal it, and with an anchor
//! ([`anchor`]) the number of lines and the last seal stand in a second place; [`AuditLog::verify`] says what was done to a
//! record, and what it couldn't have noticed.
//!
//! Several processes may write to one log. Invariant: whoever writes holds the lock of the file beside it, from reading
//! the last seal to writing the anchor.

mod anchor;
mod seal;
mod verify;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use anchor::{Anchor, AnchorPlace};
pub use seal::{AuditKey, AuditKeyError};
pub use verify::{AuditCheck, AuditPlace, BrokenRecord, Manipulation};

use crate::error::GuardError;
use crate::finding::Verdict;
use crate::policy::Asker;
use seal::{Sealed, read_seal, sealed};

/// How a record is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditOptions {
    /// Whether each line is sealed and holds the seal of the one before. A key or an anchor implies it.
    pub chain: bool,
    /// What seals are made with; without one they are plain hashes, which anybody can make.
    pub key: Option<AuditKey>,
    /// Where the count and the head are kept besides.
    pub anchor: Option<AnchorPlace>,
    /// An anchor is written every so many lines; at least one.
    pub anchor_every: u64,
    /// A file of so many bytes is moved aside.
    pub max_bytes: u64,
    /// Files kept, the current one among them; at least one.
    pub files: usize,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self { chain: false, key: None, anchor: None, anchor_every: 1, max_bytes: 10 << 20, files: 20 }
    }
}

/// How far a record is read, from its end: what goes beyond one of these is read, and nothing after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Lines that are wanted.
    pub lines: usize,
    /// Bytes of these.
    pub bytes: usize,
    /// Bytes of all lines that are looked at to find them.
    pub searched_bytes: usize,
}

impl Tail {
    /// So many lines, however long they are and however far up they stand.
    pub fn of(lines: usize) -> Self {
        Self { lines, bytes: usize::MAX, searched_bytes: usize::MAX }
    }
}

/// A record of statements, in a file and those that were moved aside before it.
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    options: AuditOptions,
    /// The beginning of the ids that this process gives.
    process: String,
    statements: AtomicU64,
}

impl PartialEq for AuditLog {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.options) == (&other.path, &other.options)
    }
}

impl Eq for AuditLog {}

/// Bytes of a statement in a record; of a longer one, its length and its SHA-256 are recorded besides. More would let whoever
/// sends long ones push out what others have asked.
const STATEMENT_BYTES: usize = 10_000;

/// Bytes of records that are read at a time, newest first.
const BLOCK_BYTES: u64 = 64 << 10;

/// Bytes of a question or a name in a record.
const ASKER_BYTES: usize = 2_000;

impl AuditLog {
    /// A record in that file, which is made with the first statement.
    pub fn new(path: &Path, options: AuditOptions) -> Self {
        let started = Timestamp::now().as_nanosecond();
        let process = format!("{started:x}-{:x}", std::process::id());
        Self { path: path.to_owned(), options, process, statements: AtomicU64::new(0) }
    }

    /// Writes down what was asked and what was said to it; the id is for [`AuditLog::outcome`].
    pub(crate) fn verdict(
        &self,
        asked: Purpose,
        asker: &Asker,
        source: &str,
        sql: &str,
        verdict: &Verdict,
    ) -> Result<String, GuardError> {
        let id = format!("{}-{}", self.process, self.statements.fetch_add(1, Ordering::Relaxed));
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.code).collect();
        let shown = begun(sql, STATEMENT_BYTES);
        let mut record = json!({
            "event": "verdict", "id": id, "asked": asked.name(), "source": source,
            "decision": if verdict.is_accepted() { "accept" } else { "refuse" }, "findings": codes, "sql": shown,
        });
        if shown.len() < sql.len() {
            record["sql_bytes"] = json!(sql.len());
            record["sql_sha256"] = json!(format!("{:x}", Sha256::digest(sql)));
        }
        let of_asker = [("caller", &asker.caller), ("client", &asker.client), ("question", &asker.question)];
        for (name, text) in of_asker.into_iter().filter(|(_, text)| !text.is_empty()) {
            record[name] = json!(begun(text, ASKER_BYTES));
        }
        self.append(record)?;
        Ok(id)
    }

    /// Writes down how an accepted statement went: rows, or the code of an error.
    pub(crate) fn outcome(
        &self,
        id: &str,
        went: Result<(usize, bool), &str>,
        took: Duration,
    ) -> Result<(), GuardError> {
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.append(match went {
            Ok((rows, truncated)) => {
                json!({"event": "outcome", "id": id, "rows": rows, "truncated": truncated, "milliseconds": milliseconds})
            }
            Err(code) => json!({"event": "outcome", "id": id, "error": code, "milliseconds": milliseconds}),
        })
    }

    fn append(&self, record: Value) -> Result<(), GuardError> {
        self.try_append(record).map_err(|source| GuardError::Audit { path: self.path.clone(), source })
    }

    fn try_append(&self, mut record: Value) -> io::Result<()> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
            private_folder(folder)?;
        }
        let lock = private().create(true).write(true).truncate(false).open(beside(&self.path, "lock"))?;
        lock.lock()?;
        let mut file = private().create(true).read(true).append(true).open(&self.path)?;
        let is_whole = last_line(&mut file)?.1;
        record["at"] = json!(Timestamp::now().to_string());
        let mut number = None;
        let mut line = if self.is_chained() {
            let last = match self.last_seal(&self.path)? {
                Some(last) => Some(last),
                None => self.last_seal(&beside(&self.path, "1"))?,
            };
            let next = last.as_ref().map_or(0, |last| last.number + 1);
            record["n"] = json!(next);
            record["before"] = json!(last.map(|last| last.seal));
            number = Some(next);
            sealed(&record, self.options.key.as_ref())
        } else {
            record.to_string()
        };
        let head = read_seal(&line, self.options.key.as_ref()).map(|sealed| sealed.seal);
        line.push('\n');
        // What a crash left half-written ends here.
        let text = if is_whole { line } else { format!("\n{line}") };
        file.write_all(text.as_bytes())?;
        if file.metadata()?.len() >= self.options.max_bytes {
            self.rotate()?;
        }
        match (number, head) {
            (Some(number), Some(head)) => self.anchor(number + 1, head),
            _ => Ok(()),
        }
    }

    fn is_chained(&self) -> bool {
        self.options.chain || self.options.key.is_some() || self.options.anchor.is_some()
    }

    /// Writes the anchor, where it is time for one.
    fn anchor(&self, count: u64, head: String) -> io::Result<()> {
        let Some(place) =
            self.options.anchor.as_ref().filter(|_| count.is_multiple_of(self.options.anchor_every.max(1)))
        else {
            return Ok(());
        };
        let first = self.first_number()?.unwrap_or(count);
        place.write(&Anchor { count, head, first }, self.options.key.as_ref())
    }

    /// The number of the first sealed line that is kept.
    fn first_number(&self) -> io::Result<Option<u64>> {
        for path in self.files() {
            for line in io::BufRead::lines(io::BufReader::new(File::open(path)?)) {
                if let Some(sealed) = read_seal(&line?, None) {
                    return Ok(Some(sealed.number));
                }
            }
        }
        Ok(None)
    }

    /// The seal of the last line of that file that has one: a crash may have left less than a line behind it.
    fn last_seal(&self, path: &Path) -> io::Result<Option<Sealed>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let key = self.options.key.as_ref();
        if let Some(sealed) = last_line(&mut file)?.0.and_then(|line| read_seal(&line, key)) {
            return Ok(Some(sealed));
        }
        let text = std::fs::read(path)?;
        Ok(String::from_utf8_lossy(&text).lines().rev().find_map(|line| read_seal(line, key)))
    }

    /// Moves the files aside, the current one to `.1`.
    fn rotate(&self) -> io::Result<()> {
        let kept = self.options.files.saturating_sub(1);
        for number in (1..kept).rev() {
            let from = beside(&self.path, &number.to_string());
            if from.exists() {
                std::fs::rename(from, beside(&self.path, &(number + 1).to_string()))?;
            }
        }
        match kept {
            0 => std::fs::remove_file(&self.path),
            _ => std::fs::rename(&self.path, beside(&self.path, "1")),
        }
    }

    /// The files of the record, the oldest first.
    fn files(&self) -> Vec<PathBuf> {
        let aside = (1..self.options.files).rev().map(|number| beside(&self.path, &number.to_string()));
        aside.chain([self.path.clone()]).filter(|path| path.exists()).collect()
    }

    /// The last lines of the record that are wanted, the oldest first.
    ///
    /// # Errors
    /// [`GuardError::Audit`] where a file can't be read.
    pub fn last(&self, tail: Tail, mut is_wanted: impl FnMut(&str) -> bool) -> Result<Vec<String>, GuardError> {
        if tail.lines == 0 {
            return Ok(Vec::new());
        }
        let mut lines = Vec::new();
        let (mut bytes, mut searched) = (0, 0);
        for path in self.files().iter().rev() {
            let take = |line: String| {
                searched += line.len();
                if is_wanted(&line) {
                    bytes += line.len();
                    lines.push(line);
                }
                lines.len() < tail.lines && bytes < tail.bytes && searched < tail.searched_bytes
            };
            let goes_on =
                from_the_end(path, take).map_err(|source| GuardError::Audit { path: path.clone(), source })?;
            if !goes_on {
                break;
            }
        }
        lines.reverse();
        Ok(lines)
    }

    /// Reads the whole record and compares every seal, and the ends with the anchor: `given`, else the one that is kept.
    ///
    /// # Errors
    /// [`GuardError::Audit`] where a file can't be read.
    pub fn verify(&self, given: Option<&Anchor>) -> Result<AuditCheck, GuardError> {
        verify::verify(self, given)
    }

    fn read(&self, path: &Path) -> Result<String, GuardError> {
        let bytes = std::fs::read(path).map_err(|source| GuardError::Audit { path: path.to_owned(), source })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn anchor_error(&self, source: io::Error) -> GuardError {
        let path = match &self.options.anchor {
            Some(AnchorPlace::File(path) | AnchorPlace::Syslog(path)) => path.clone(),
            None => self.path.clone(),
        };
        GuardError::Audit { path, source }
    }
}

/// What somebody wanted of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To know what is wrong with it.
    Check,
    /// Its rows.
    Run,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Run => "run",
        }
    }
}

/// Files that only their owner may read, as statements hold data.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A folder that only its owner may look into.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

/// What a text begins with, as far as that takes so many bytes in JSON, where a sign that is never seen takes six.
fn begun(text: &str, most: usize) -> &str {
    let mut bytes = 0;
    let mut fits = |character: char| {
        bytes += match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            hidden if hidden.is_control() => 6,
            other => other.len_utf8(),
        };
        bytes <= most
    };
    text.find(|character| !fits(character)).map_or(text, |end| &text[..end])
}

/// Gives the lines of a file, the last one first, for as long as they are taken; whether all were.
fn from_the_end(path: &Path, mut take: impl FnMut(String) -> bool) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut start = file.seek(SeekFrom::End(0))?;
    // What is read and belongs to a line that begins further up.
    let mut rest: Vec<u8> = Vec::new();
    while start > 0 {
        let length = start.min(BLOCK_BYTES);
        start -= length;
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        (&mut file).take(length).read_to_end(&mut block)?;
        block.append(&mut rest);
        let mut end = block.len();
        for place in (0..block.len()).rev().filter(|place| block[*place] == b'\n') {
            let line = &block[place + 1..end];
            end = place;
            if !line.is_empty() && !take(String::from_utf8_lossy(line).into_owned()) {
                return Ok(false);
            }
        }
        block.truncate(end);
        rest = block;
    }
    Ok(rest.is_empty() || take(String::from_utf8_lossy(&rest).into_owned()))
}

/// The last line, and whether the file ends with one that is whole.
fn last_line(file: &mut File) -> io::Result<(Option<String>, bool)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut wanted = 4096;
    loop {
        let start = length.saturating_sub(wanted);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(length - start).read_to_end(&mut bytes)?;
        let is_whole = bytes.is_empty() || bytes.ends_with(b"\n");
        let ended = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        match ended.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => return Ok((Some(String::from_utf8_lossy(&ended[end + 1..]).into_owned()), is_whole)),
            None if start == 0 && ended.is_empty() => return Ok((None, is_whole)),
            None if start == 0 => return Ok((Some(String::from_utf8_lossy(ended).into_owned()), is_whole)),
            None => wanted *= 8,
        }
    }
}

#[cfg(test)]
mod tests;
