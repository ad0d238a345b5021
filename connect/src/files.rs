//! When a file has changed, for engines whose databases are files.

use std::fs::Metadata;
use std::time::SystemTime;

/// When a file was last written to or came to its place. A copy or a backup can keep the date of its original; the moment at
/// which the file system made an entry for it can't be set.
pub(crate) fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    let written = metadata.modified().ok()?;
    Some(came_here(metadata).map_or(written, |came| came.max(written)))
}

#[cfg(unix)]
fn came_here(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;

    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let rest = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, rest))
}

#[cfg(not(unix))]
fn came_here(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok()
}
