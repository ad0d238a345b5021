//! Seals: what a line of the record ends with, so that it can be told from one that somebody else wrote.
//!
//! A seal is the SHA-256 of the line without it, or, with a key, the HMAC-SHA-256: then nobody can make one who doesn't hold
//! the key. Each sealed line also holds its number and the seal of the line before; so numbers say what is missing and
//! seals say what was put in its place.
//!
//! Invariant: the key appears in no text: not in a line, a message, or the debug form of anything.

use std::fmt;
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Bytes of a key at least: as many as a seal has.
const SHORTEST_KEY: usize = 32;

/// What seals are made with.
#[derive(Clone, PartialEq, Eq)]
pub struct AuditKey(Vec<u8>);

impl fmt::Debug for AuditKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AuditKey(…)")
    }
}

/// Why there is no key, without a word of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditKeyError {
    /// The file can't be read.
    #[error("the key of the record of statements can't be read from {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Too short to keep anybody from guessing it.
    #[error("the key of the record of statements has {length} bytes; it needs at least {SHORTEST_KEY}")]
    TooShort {
        /// Bytes it has.
        length: usize,
    },
}

impl AuditKey {
    /// The key that these bytes are; white space at their ends is none of it.
    ///
    /// # Errors
    /// [`AuditKeyError::TooShort`].
    pub fn new(bytes: &[u8]) -> Result<Self, AuditKeyError> {
        let bytes = bytes.trim_ascii();
        match bytes.len() {
            length if length < SHORTEST_KEY => Err(AuditKeyError::TooShort { length }),
            _ => Ok(Self(bytes.to_vec())),
        }
    }

    /// The key in that file.
    ///
    /// # Errors
    /// [`AuditKeyError`], where it can't be read or is too short.
    pub fn read(path: &Path) -> Result<Self, AuditKeyError> {
        let bytes =
            std::fs::read(path).map_err(|source| AuditKeyError::Unreadable { path: path.to_owned(), source })?;
        Self::new(&bytes)
    }
}

impl AuditKeyError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        "config_audit_key"
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Unreadable { .. } => vec!["check `key_file` in [audit] and the file's permissions".to_owned()],
            Self::TooShort { .. } => vec!["make one with `openssl rand -hex 32`".to_owned()],
        }
    }
}

/// The seal of a text.
pub(super) fn seal_of(text: &str, key: Option<&AuditKey>) -> String {
    match key {
        None => format!("{:x}", Sha256::digest(text)),
        Some(AuditKey(key)) => {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
            mac.update(text.as_bytes());
            format!("{:x}", mac.finalize().into_bytes())
        }
    }
}

/// How a line was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SealKind {
    Hash,
    Keyed,
}

impl SealKind {
    pub(super) fn of(key: Option<&AuditKey>) -> Self {
        if key.is_some() { Self::Keyed } else { Self::Hash }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Hash => ",\"sha256\":\"",
            Self::Keyed => ",\"hmac\":\"",
        }
    }
}

/// A line with a seal, its own or another's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sealed {
    pub(super) kind: SealKind,
    pub(super) number: u64,
    /// The seal of the line before; none where it is the first.
    pub(super) before: Option<String>,
    pub(super) seal: String,
    /// Whether the seal is this line's.
    pub(super) is_own: bool,
}

/// The record as a line with its seal.
pub(super) fn sealed(record: &Value, key: Option<&AuditKey>) -> String {
    let line = record.to_string();
    let body = line.strip_suffix('}').unwrap_or(&line);
    format!("{body}{}{}\"}}", SealKind::of(key).field(), seal_of(&line, key))
}

/// The seal that a line ends with, if it has one and is a JSON object with a number.
pub(super) fn read_seal(line: &str, key: Option<&AuditKey>) -> Option<Sealed> {
    let ended = line.strip_suffix("\"}")?;
    let (kind, (body, seal)) = [SealKind::Hash, SealKind::Keyed]
        .into_iter()
        .find_map(|kind| Some((kind, ended.rsplit_once(kind.field())?)).filter(|(_, (_, seal))| is_seal(seal)))?;
    let record: Value = serde_json::from_str(line).ok()?;
    let text = format!("{body}}}");
    let is_own = match kind {
        SealKind::Hash => seal_of(&text, None) == seal,
        SealKind::Keyed => key.is_some() && seal_of(&text, key) == seal,
    };
    Some(Sealed {
        kind,
        number: record["n"].as_u64()?,
        before: record["before"].as_str().map(str::to_owned),
        seal: seal.to_owned(),
        is_own,
    })
}

fn is_seal(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
