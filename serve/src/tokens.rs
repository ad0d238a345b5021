//! Tokens that callers show: who they stand for, and until when.
//!
//! A token is 256 random bits, so its SHA-256 gives nothing away and needs no salt; the file holds nothing else of it.
//! The file is read with every request, and what is revoked is refused by the next one, in every process. What can't be
//! read admits nobody.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What a token begins with, so that scanners for secrets know one.
const PREFIX: &str = "periplus_";

/// Random bytes of a token.
const BYTES: usize = 32;

/// Characters of a name.
const LONGEST_NAME: usize = 64;

/// The file of tokens.
#[derive(Clone, Debug)]
pub struct Tokens {
    path: PathBuf,
}

/// What is known of a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Token {
    /// Who shows it.
    pub name: String,
    /// The name of their role.
    pub role: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends; `None` where it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    sha256: String,
}

/// Why tokens can't be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file is there but can't be read or written.
    #[error("the tokens in `{path}` can't be read or written")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The file doesn't hold tokens.
    #[error("the tokens in `{path}` are damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is one of that name.
    #[error("there is already a token called `{name}`")]
    Taken {
        /// The name.
        name: String,
    },
    /// There is none of that name.
    #[error("there is no token called `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A name must be short and plain, as it stands in records.
    #[error("a token can't be called `{name}`: up to {LONGEST_NAME} letters, digits, `_`, `-`, `.` and `@`")]
    Name {
        /// The name, in one line.
        name: String,
    },
}

impl TokenError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "tokens_unreadable",
            Self::Damaged { .. } => "tokens_damaged",
            Self::Taken { .. } => "token_exists",
            Self::Unknown { .. } => "unknown_token",
            Self::Name { .. } => "token_name",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::File { .. } => vec!["check the file's permissions".into()],
            Self::Damaged { .. } => vec!["move the file away and make the tokens anew".into()],
            Self::Taken { .. } => vec!["revoke it first, or choose another name".into()],
            Self::Unknown { known, .. } if known.is_empty() => vec!["there are no tokens".into()],
            Self::Unknown { known, .. } => vec![format!("there are: {}", known.join(", "))],
            Self::Name { .. } => Vec::new(),
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    tokens: Vec<Token>,
}

/// Who a token that was shown stands for.
pub(crate) enum Shown {
    /// The name of whoever shows it, and of their role.
    By(String, String),
    Expired,
    Unknown,
}

impl Tokens {
    /// The tokens in that file, which is made with the first one.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes a token. It is returned once and kept nowhere.
    ///
    /// # Errors
    /// [`TokenError::Name`] and [`TokenError::Taken`] for the name; the others where the file can't be used.
    pub fn create(&self, name: &str, role: &str, expires: Option<Timestamp>) -> Result<String, TokenError> {
        let plain = |character: char| character.is_alphanumeric() || "_-.@".contains(character);
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(plain) {
            return Err(TokenError::Name { name: shown::one_line(name).into_owned() });
        }
        let mut random = [0; BYTES];
        getrandom::fill(&mut random).map_err(|error| self.failed(io::Error::other(error)))?;
        let secret = format!("{PREFIX}{}", hex(&random));
        self.change(|tokens| {
            if tokens.iter().any(|token| token.name == name) {
                return Err(TokenError::Taken { name: name.to_owned() });
            }
            let sha256 = hex(&Sha256::digest(&secret));
            tokens.push(Token {
                name: name.to_owned(),
                role: role.to_owned(),
                created: Timestamp::now(),
                expires,
                sha256,
            });
            Ok(())
        })?;
        Ok(secret)
    }

    /// All tokens, in the order in which they were made.
    ///
    /// # Errors
    /// [`TokenError::File`] and [`TokenError::Damaged`].
    pub fn list(&self) -> Result<Vec<Token>, TokenError> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed(error)),
        };
        let stored: Stored = serde_json::from_slice(&text)
            .map_err(|error| TokenError::Damaged { path: self.path.clone(), reason: error.to_string() })?;
        Ok(stored.tokens)
    }

    /// Takes a token back: the next request that shows it is refused.
    ///
    /// # Errors
    /// [`TokenError::Unknown`] for the name; the others where the file can't be used.
    pub fn revoke(&self, name: &str) -> Result<(), TokenError> {
        self.change(|tokens| match tokens.iter().position(|token| token.name == name) {
            Some(at) => {
                tokens.remove(at);
                Ok(())
            }
            None => {
                let known = tokens.iter().map(|token| token.name.clone()).collect();
                Err(TokenError::Unknown { name: shown::one_line(name).into_owned(), known })
            }
        })
    }

    /// Whom this token stands for. Every stored token is compared, each in constant time.
    pub(crate) fn shown(&self, secret: &str) -> Result<Shown, TokenError> {
        let sha256 = hex(&Sha256::digest(secret));
        let mut found = Shown::Unknown;
        for token in self.list()? {
            if bool::from(token.sha256.as_bytes().ct_eq(sha256.as_bytes())) {
                found = match token.expires {
                    Some(end) if end <= Timestamp::now() => Shown::Expired,
                    _ => Shown::By(token.name, token.role),
                };
            }
        }
        Ok(found)
    }

    /// Whether there is one that holds.
    pub(crate) fn any_holds(&self) -> Result<bool, TokenError> {
        let now = Timestamp::now();
        Ok(self.list()?.iter().any(|token| token.expires.is_none_or(|end| end > now)))
    }

    /// Reads, changes and writes the file, with nobody else at it: it is replaced as a whole.
    fn change(&self, how: impl FnOnce(&mut Vec<Token>) -> Result<(), TokenError>) -> Result<(), TokenError> {
        let lock = private().create(true).truncate(false).open(beside(&self.path, "lock"));
        let lock = lock.map_err(|error| self.failed(error))?;
        lock.lock().map_err(|error| self.failed(error))?;
        let mut tokens = self.list()?;
        how(&mut tokens)?;
        let mut text = serde_json::to_vec_pretty(&Stored { tokens }).map_err(|error| self.failed(error.into()))?;
        text.push(b'\n');
        let whole = beside(&self.path, "new");
        let written = private().create(true).truncate(true).open(&whole).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()
        });
        written.and_then(|()| std::fs::rename(&whole, &self.path)).map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> TokenError {
        TokenError::File { path: self.path.clone(), source }
    }
}

/// A file that only its owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_until_it_ends_or_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(folder.path().join("tokens.json"));
        let held = tokens.create("ann", "approver", None).unwrap();
        let ended = tokens.create("bot", "reader", Some(Timestamp::UNIX_EPOCH)).unwrap();
        let Shown::By(name, role) = tokens.shown(&held).unwrap() else { panic!("ann's holds") };
        assert_eq!((name.as_str(), role.as_str()), ("ann", "approver"));
        assert!(matches!(tokens.shown(&ended).unwrap(), Shown::Expired));
        assert!(matches!(tokens.shown("periplus_00").unwrap(), Shown::Unknown));
        tokens.revoke("ann").unwrap();
        assert!(matches!(tokens.shown(&held).unwrap(), Shown::Unknown));
        assert!(!tokens.any_holds().unwrap());
    }

    #[test]
    fn the_file_holds_no_token_and_is_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let secret = Tokens::at(&path).create("ann", "reader", None).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(secret.strip_prefix(PREFIX).unwrap()));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions()) & 0o777, 0o600);
    }

    #[test]
    fn names_are_plain_and_given_once() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(folder.path().join("tokens.json"));
        for name in ["", "a b", "a\nb", &"x".repeat(65)] {
            assert_eq!(tokens.create(name, "reader", None).unwrap_err().code(), "token_name");
        }
        tokens.create("ann", "reader", None).unwrap();
        assert_eq!(tokens.create("ann", "admin", None).unwrap_err().code(), "token_exists");
        assert_eq!(tokens.revoke("bob").unwrap_err().code(), "unknown_token");
    }

    #[test]
    fn a_damaged_file_admits_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let tokens = Tokens::at(&path);
        let secret = tokens.create("ann", "reader", None).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert!(matches!(tokens.shown(&secret), Err(TokenError::Damaged { .. })));
    }
}
