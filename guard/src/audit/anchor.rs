//! The second place: how many lines there are and how the last is sealed, written where who can write the record can't.
//!
//! A chain can't say that its end is missing, nor, without a key, that all of it was made anew. So the operator names a
//! file on another disk or the system's log, and every so many lines the count and the head go there. Lines written since
//! the last anchor are the window in which a cut end isn't noticed; with an anchor for every line there is none.
//!
//! Invariant: never in a database that is served: what guards the record must not be readable, or fillable, by asking.

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::seal::{AuditKey, SealKind, read_seal, sealed};
use super::{last_line, private};

/// Where the count and the head of the record are kept besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorPlace {
    /// Appended to a file.
    File(PathBuf),
    /// Sent to the system's log, at this socket.
    Syslog(PathBuf),
}

impl FromStr for AnchorPlace {
    type Err = std::convert::Infallible;

    /// A path, `syslog`, or `syslog:` with the socket's path.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once(':') {
            _ if text == "syslog" => Self::Syslog("/dev/log".into()),
            Some(("syslog", socket)) => Self::Syslog(socket.into()),
            _ => Self::File(text.into()),
        })
    }
}

/// What an anchor says of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Lines written, ever.
    pub count: u64,
    /// The seal of the last of them.
    pub head: String,
    /// The number of the first that was kept then.
    pub first: u64,
}

impl FromStr for Anchor {
    type Err = String;

    /// `count:head`, or `count:head:first`, as the system's log has it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.trim().split(':');
        let number = |part: Option<&str>| part.and_then(|part| part.parse().ok());
        let wrong = || "an anchor is `COUNT:HEAD:FIRST`, as it stands in the system's log".to_owned();
        let count = number(parts.next()).ok_or_else(wrong)?;
        let head = parts.next().filter(|head| head.len() == 64).ok_or_else(wrong)?.to_owned();
        Ok(Self { count, head, first: number(parts.next()).unwrap_or_default() })
    }
}

/// The last anchor there is.
pub(super) enum Found {
    Anchor(Anchor),
    /// There is none.
    Missing,
    /// Its seal isn't its own, or what stands there is no anchor.
    Changed,
    /// It is where we don't read.
    Elsewhere,
}

impl AnchorPlace {
    /// Writes an anchor.
    pub(super) fn write(&self, anchor: &Anchor, key: Option<&AuditKey>) -> io::Result<()> {
        match self {
            Self::File(path) => {
                let record = json!({
                    "anchor": anchor.head, "n": anchor.count, "first": anchor.first, "at": Timestamp::now().to_string(),
                });
                let mut file = private().create(true).read(true).append(true).open(path)?;
                let is_whole = last_line(&mut file)?.1;
                let line = format!("{}{}\n", if is_whole { "" } else { "\n" }, sealed(&record, key));
                file.write_all(line.as_bytes())
            }
            Self::Syslog(socket) => to_syslog(socket, anchor),
        }
    }

    /// Reads the last one back.
    pub(super) fn read(&self, key: Option<&AuditKey>) -> io::Result<Found> {
        let Self::File(path) = self else { return Ok(Found::Elsewhere) };
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Missing),
            Err(error) => return Err(error),
        };
        // A crash may have cut the last one off; the record is ahead of the one before it then, and that is said.
        let mut lines = text.lines().rev().filter(|line| !line.is_empty());
        let last = lines.find(|line| line.ends_with('}') || text.ends_with('\n'));
        let Some(line) = last else { return Ok(Found::Missing) };
        let read = read_seal(line, key).filter(|seal| seal.is_own && seal.kind == SealKind::of(key));
        let record: Value = serde_json::from_str(line).unwrap_or_default();
        Ok(match (read, record["anchor"].as_str(), record["first"].as_u64()) {
            (Some(seal), Some(head), Some(first)) => {
                Found::Anchor(Anchor { count: seal.number, head: head.to_owned(), first })
            }
            _ => Found::Changed,
        })
    }
}

#[cfg(unix)]
fn to_syslog(socket: &std::path::Path, anchor: &Anchor) -> io::Result<()> {
    // The facility for security messages, at the level of information.
    const PRIORITY: u8 = 10 * 8 + 6;
    let Anchor { count, head, first } = anchor;
    let message = format!("<{PRIORITY}>periplus[{}]: audit anchor {count}:{head}:{first}", std::process::id());
    let sender = std::os::unix::net::UnixDatagram::unbound()?;
    sender.send_to(message.as_bytes(), socket).map(drop)
}

#[cfg(not(unix))]
fn to_syslog(_socket: &std::path::Path, _anchor: &Anchor) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "there is no system log here: anchor in a file"))
}
