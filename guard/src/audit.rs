//! The record of what was asked of the databases: every statement with its verdict, and how it went.
//!
//! One JSON object a line. The verdict is written before the statement runs (the engine has compiled it by then, which
//! is part of the verdict); what can't be recorded doesn't run. A file that has become too long is moved aside, and the oldest is removed. With a hash chain each line
//! holds the SHA-256 of itself and of the line before, so that a line that was changed, removed or put in between is
//! found by [`AuditLog::verify`]; that lines are missing at the end, nothing in the file can tell.
//!
//! Several processes may write to one log. Invariant: whoever writes holds the lock of the file beside it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::GuardError;
use crate::finding::Verdict;

/// How a record is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditOptions {
    /// Whether each line holds a hash of itself and of the one before.
    pub chain: bool,
    /// A file of so many bytes is moved aside.
    pub max_bytes: u64,
    /// Files kept, the current one among them; at least one.
    pub files: usize,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self { chain: false, max_bytes: 10 << 20, files: 5 }
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
        (&self.path, self.options) == (&other.path, other.options)
    }
}

impl Eq for AuditLog {}

/// What checking a record has found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditCheck {
    /// Files there are.
    pub files: usize,
    /// Lines read, up to the first that is wrong.
    pub lines: u64,
    /// Those of them that hold a hash.
    pub chained: u64,
    /// The first line that is not what was written.
    pub broken: Option<BrokenLine>,
}

/// A line that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenLine {
    /// Its file.
    pub file: PathBuf,
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Characters of a statement that are recorded; of a longer one, its length in bytes is recorded besides.
const STATEMENT_CHARACTERS: usize = 100_000;

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
        asked: Asked,
        source: &str,
        sql: &str,
        verdict: &Verdict,
    ) -> Result<String, GuardError> {
        let id = format!("{}-{}", self.process, self.statements.fetch_add(1, Ordering::Relaxed));
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.code).collect();
        let shown: String = sql.chars().take(STATEMENT_CHARACTERS).collect();
        let mut record = json!({
            "event": "verdict", "id": id, "asked": asked.name(), "source": source,
            "decision": if verdict.is_accepted() { "accept" } else { "refuse" }, "findings": codes, "sql": shown,
        });
        if shown.len() < sql.len() {
            record["sql_bytes"] = json!(sql.len());
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
        let lock = options().create(true).write(true).truncate(false).open(beside(&self.path, "lock"))?;
        lock.lock()?;
        let mut file = options().create(true).read(true).append(true).open(&self.path)?;
        let (last, is_whole) = last_line(&mut file)?;
        record["at"] = json!(Timestamp::now().to_string());
        let mut line = if self.options.chain {
            let last = match last {
                Some(last) => Some(last),
                None => self.last_line_aside()?,
            };
            record["before"] = json!(last.as_deref().map(hash_of));
            with_hash(&record.to_string())
        } else {
            record.to_string()
        };
        line.push('\n');
        // What a crash left half-written ends here.
        let text = if is_whole { line } else { format!("\n{line}") };
        file.write_all(text.as_bytes())?;
        if file.metadata()?.len() >= self.options.max_bytes {
            self.rotate()?;
        }
        Ok(())
    }

    /// The last line of the file that was moved aside last.
    fn last_line_aside(&self) -> io::Result<Option<String>> {
        match File::open(beside(&self.path, "1")) {
            Ok(mut file) => Ok(last_line(&mut file)?.0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
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

    /// The last lines of the record, the oldest first.
    ///
    /// # Errors
    /// [`GuardError::Audit`] where a file can't be read.
    pub fn last(&self, most: usize) -> Result<Vec<String>, GuardError> {
        let mut lines: Vec<String> = Vec::new();
        for path in self.files().iter().rev() {
            let text = self.read(path)?;
            let missing = most - lines.len();
            let mut these: Vec<String> = text.lines().rev().take(missing).map(str::to_owned).collect();
            these.reverse();
            these.append(&mut lines);
            lines = these;
            if lines.len() >= most {
                break;
            }
        }
        Ok(lines)
    }

    /// Reads the whole record and compares every hash.
    ///
    /// # Errors
    /// [`GuardError::Audit`] where a file can't be read.
    pub fn verify(&self) -> Result<AuditCheck, GuardError> {
        let files = self.files();
        let mut check = AuditCheck { files: files.len(), ..AuditCheck::default() };
        let mut before: Option<String> = None;
        for path in files {
            for (line, number) in self.read(&path)?.lines().zip(1..) {
                let reason = match serde_json::from_str::<Value>(line) {
                    Err(_) => Some("it is no JSON"),
                    Ok(_) if !is_chained(line) && check.chained > 0 => Some("it has no hash, and lines before it have"),
                    Ok(_) if !is_chained(line) => None,
                    Ok(_) if !has_its_hash(line) => Some("its hash is that of another line"),
                    // Of the first line that is still there, the one before may have been removed with its file.
                    Ok(record) => before
                        .as_ref()
                        .filter(|before| record["before"] != json!(before))
                        .map(|_| "the line before it is not the one that was written"),
                };
                if let Some(reason) = reason {
                    check.broken = Some(BrokenLine { file: path, line: number, reason: reason.to_owned() });
                    return Ok(check);
                }
                check.lines += 1;
                check.chained += u64::from(is_chained(line));
                before = Some(hash_of(line));
            }
        }
        Ok(check)
    }

    fn read(&self, path: &Path) -> Result<String, GuardError> {
        std::fs::read_to_string(path).map_err(|source| GuardError::Audit { path: path.to_owned(), source })
    }
}

/// What somebody wanted of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To know what is wrong with it.
    Check,
    /// Its rows.
    Run,
}

impl Asked {
    fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Run => "run",
        }
    }
}

/// Files that only their owner may read, as statements hold data.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

const HASH: &str = ",\"sha256\":\"";

fn hash_of(line: &str) -> String {
    format!("{:x}", Sha256::digest(line))
}

/// The line with its own hash as the last field.
fn with_hash(line: &str) -> String {
    format!("{}{HASH}{}\"}}", line.strip_suffix('}').unwrap_or(line), hash_of(line))
}

fn is_chained(line: &str) -> bool {
    without_hash(line).is_some()
}

fn has_its_hash(line: &str) -> bool {
    without_hash(line).is_some_and(|written| with_hash(&written) == line)
}

/// The line as it was before it got its hash.
fn without_hash(line: &str) -> Option<String> {
    let (body, hash) = line.strip_suffix("\"}")?.rsplit_once(HASH)?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| format!("{body}}}"))
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
