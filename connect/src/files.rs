//! What engines whose databases are files ask of the file system.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// When a file was last written to or came to its place. A copy or a backup can keep the date of its original; the moment at
/// which the file system made an entry for it can't be set.
pub(crate) fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    let written = metadata.modified().ok()?;
    Some(came_here(metadata).map_or(written, |came| came.max(written)))
}

/// For so long after a writing another one may leave the same time: file systems count it in steps of up to two seconds.
const UNSURE: Duration = Duration::from_secs(2);

/// What a file is like: its size, when it was last written to, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    length: u64,
    changed: Option<SystemTime>,
    number: u64,
}

impl State {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), changed: changed_at(metadata), number: number_of(metadata) }
    }

    /// Whether another writing would show. A clock that was set back says nothing.
    pub(crate) fn is_settled(&self) -> bool {
        let since = self.changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
        since.is_some_and(|since| since > UNSURE)
    }
}

#[cfg(unix)]
fn number_of(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;

    metadata.ino()
}

#[cfg(not(unix))]
fn number_of(_: &Metadata) -> u64 {
    0
}

#[cfg(unix)]
fn came_here(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;

    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let rest = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, rest))
}

#[cfg(not(unix))]
fn came_here(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok()
}

/// At most five files in the folder of `path` whose names end in `.` and one of `endings`, by name.
pub(crate) fn nearby(path: &Path, endings: &[&str]) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .take(1000)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| {
            let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| endings.contains(&ending))
        })
        .collect();
    names.sort();
    names.truncate(5);
    names
}
