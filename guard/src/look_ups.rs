//! How many values of masked columns a caller has looked up in the last hour.
//!
//! A look-up tells whose a value is to who has it. Who has none and tries many would find some, so that there is a number
//! for each caller and hour. The same statement of the same caller counts once: a second time it tells nothing that the
//! first has not, and a statement is often checked before it is run.
//!
//! The count is kept in a file, where one is named, which all processes share and which outlives them. Invariant: whoever
//! reads or writes the file holds the lock of the one beside it, and the file is replaced whole, so that what can't be
//! read was written by somebody else.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::audit::{beside, private, private_folder};
use crate::error::GuardError;

/// In seconds.
const HOUR: u64 = 3_600;

/// The look-ups of all callers.
#[derive(Debug)]
pub(crate) enum LookUps {
    /// For as long as the process lives.
    InMemory(Mutex<Vec<Taken>>),
    /// For everybody who uses the file.
    InFile(PathBuf),
}

/// A statement with look-ups that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// In seconds.
    at: u64,
    count: usize,
    /// Hashes: what was looked up is nothing to keep.
    caller: String,
    statement: String,
}

/// Whether there was room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// The look-ups are counted.
    Enough,
    /// They are not: there is room for so many.
    Left(usize),
}

impl Default for LookUps {
    fn default() -> Self {
        Self::InMemory(Mutex::default())
    }
}

impl LookUps {
    /// Counts the look-ups of a caller's statement, if there is room for them.
    pub(crate) fn take(&self, caller: &str, statement: &str, count: usize, most: usize) -> Result<Room, GuardError> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let asked = Taken { at, count, caller: hash(caller), statement: hash(statement) };
        match self {
            Self::InMemory(taken) => Ok(take(&mut taken.lock().unwrap_or_else(PoisonError::into_inner), asked, most)),
            Self::InFile(path) => {
                take_in(path, asked, most).map_err(|source| GuardError::LookUps { path: path.clone(), source })
            }
        }
    }
}

fn take(taken: &mut Vec<Taken>, mut asked: Taken, most: usize) -> Room {
    // What is later than now was noted before the clock was set back.
    taken.retain(|taken| asked.at.saturating_sub(taken.at) < HOUR);
    let own = || taken.iter().filter(|taken| taken.caller == asked.caller);
    let before: usize = own().filter(|taken| taken.statement == asked.statement).map(|taken| taken.count).sum();
    let left = most.saturating_sub(own().map(|taken| taken.count).sum());
    // More of its columns may be masked now.
    asked.count = asked.count.saturating_sub(before);
    if asked.count > left {
        return Room::Left(left);
    }
    if asked.count > 0 {
        taken.push(asked);
    }
    Room::Enough
}

fn take_in(path: &PathBuf, asked: Taken, most: usize) -> io::Result<Room> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        private_folder(folder)?;
    }
    let lock = private().create(true).write(true).truncate(false).open(beside(path, "lock"))?;
    lock.lock()?;
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it isn't as Periplus wrote it");
    let mut taken = text.lines().map(|line| read(line).ok_or_else(damaged)).collect::<io::Result<Vec<Taken>>>()?;
    let before = taken.clone();
    let room = take(&mut taken, asked, most);
    if taken != before {
        let line = |taken: &Taken| format!("{} {} {} {}\n", taken.at, taken.count, taken.caller, taken.statement);
        let next = beside(path, "next");
        let mut file = private().create(true).write(true).truncate(true).open(&next)?;
        io::Write::write_all(&mut file, taken.iter().map(line).collect::<String>().as_bytes())?;
        std::fs::rename(next, path)?;
    }
    Ok(room)
}

fn read(line: &str) -> Option<Taken> {
    let [at, count, caller, statement] = <[&str; 4]>::try_from(line.split(' ').collect::<Vec<_>>()).ok()?;
    let (at, count) = (at.parse().ok()?, count.parse().ok()?);
    Some(Taken { at, count, caller: caller.to_owned(), statement: statement.to_owned() })
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(at: u64, caller: &str, statement: &str, count: usize) -> Taken {
        Taken { at, count, caller: caller.to_owned(), statement: statement.to_owned() }
    }

    #[test]
    fn each_caller_has_a_number_of_look_ups_an_hour() {
        let mut taken = Vec::new();
        for (at, caller, statement, count, expected) in [
            (0, "ann", "a", 3, Room::Enough),
            (0, "ann", "b", 3, Room::Left(2)),
            (0, "ben", "b", 3, Room::Enough),
            (HOUR / 2, "ann", "c", 2, Room::Enough),
            (HOUR / 2, "ann", "d", 1, Room::Left(0)),
            (HOUR, "ann", "e", 3, Room::Enough),
            (HOUR, "ann", "f", 6, Room::Left(0)),
        ] {
            assert_eq!(take(&mut taken, asked(at, caller, statement, count), 5), expected, "{statement}");
        }
    }

    #[test]
    fn the_same_statement_counts_once_within_the_hour() {
        let mut taken = Vec::new();
        assert_eq!(take(&mut taken, asked(0, "ann", "a", 3), 5), Room::Enough);
        assert_eq!(take(&mut taken, asked(HOUR - 1, "ann", "a", 3), 5), Room::Enough);
        assert_eq!(take(&mut taken, asked(HOUR - 1, "ann", "a", 5), 5), Room::Enough);
        assert_eq!(take(&mut taken, asked(HOUR - 1, "ann", "b", 1), 5), Room::Left(0));
        // What was asked again is no younger for it.
        assert_eq!(take(&mut taken, asked(HOUR, "ann", "b", 3), 5), Room::Enough);
        assert_eq!(take(&mut taken, asked(HOUR, "ben", "a", 6), 5), Room::Left(5));
    }

    #[test]
    fn a_file_is_shared_by_processes_and_kept_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/look-ups");
        // Each opens it anew, as processes do.
        let take = |caller: &str, statement: &str| LookUps::InFile(path.clone()).take(caller, statement, 2, 5);
        assert_eq!(take("ann", "a").unwrap(), Room::Enough);
        assert_eq!(take("ann", "a").unwrap(), Room::Enough);
        assert_eq!(take("ann", "b").unwrap(), Room::Enough);
        assert_eq!(take("ann", "c").unwrap(), Room::Left(1));
        assert_eq!(take("ben", "c").unwrap(), Room::Enough);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
        std::fs::write(&path, "nothing of ours").unwrap();
        assert_eq!(take("ben", "d").unwrap_err().code(), "look_ups_unreadable");
    }

    #[test]
    fn processes_that_ask_at_once_don_t_share_what_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("look-ups");
        let tries = (0..40).map(|number| {
            let path = path.clone();
            std::thread::spawn(move || LookUps::InFile(path).take("ann", &number.to_string(), 1, 20).unwrap())
        });
        let tries: Vec<_> = tries.collect();
        let rooms: Vec<Room> = tries.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(rooms.iter().filter(|room| **room == Room::Enough).count(), 20);
    }
}
