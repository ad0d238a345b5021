//! What agents wrote that waits for a person: one file for each table, in a folder beside the catalog.
//!
//! A proposal holds the agent's own words. They are checked again when they are accepted, against the table as it is then.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catalog::{Entry, TableId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::by_agent::Written;
use crate::error::DescribeError;

/// What an agent wrote about a table, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Which table.
    pub table: TableId,
    /// The agent's words.
    pub written: Written,
    /// The name that its client gives itself.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// What the table was like: see [`crate::basis`].
    pub basis: String,
    /// The columns whose values the agent couldn't see.
    #[serde(default)]
    pub unseen: Vec<String>,
}

impl Proposal {
    /// Whether no column's values may be hidden by now that the agent could see.
    pub fn may_be_shown(&self, entry: &Entry) -> bool {
        entry.closed_columns().all(|column| self.unseen.iter().any(|unseen| unseen.eq_ignore_ascii_case(column)))
    }
}

/// Puts it into the folder, in place of an earlier one for the same table.
///
/// # Errors
/// [`DescribeError::File`].
pub fn propose(folder: &Path, proposal: &Proposal) -> Result<(), DescribeError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| DescribeError::File { path, action: "written", source }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let path = path_of(folder, &proposal.table);
    let text = serde_json::to_string_pretty(proposal).unwrap_or_default();
    // Whoever reads it meanwhile finds the earlier one or this one.
    let beside = path.with_extension("new");
    fs::write(&beside, text).map_err(failed(&beside))?;
    fs::rename(&beside, &path).map_err(failed(&path))
}

/// What is in the folder.
#[derive(Debug, Default)]
pub struct Waiting {
    /// By table.
    pub proposals: Vec<Proposal>,
    /// Files that aren't proposals, or can't be read, each with why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Everything that waits; nothing where there is no folder.
///
/// # Errors
/// [`DescribeError::File`] where the folder can't be read.
pub fn proposals(folder: &Path) -> Result<Waiting, DescribeError> {
    let failed = |path: &Path, source| DescribeError::File { path: path.to_owned(), action: "read", source };
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Waiting::default()),
        Err(error) => return Err(failed(folder, error)),
    };
    let mut waiting = Waiting::default();
    for file in files {
        let path = file.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            match read(&path) {
                Ok(proposal) => waiting.proposals.push(proposal),
                Err(why) => waiting.unreadable.push((path, why)),
            }
        }
    }
    waiting.proposals.sort_by(|left, right| left.table.cmp(&right.table));
    waiting.unreadable.sort();
    Ok(waiting)
}

/// A proposal. Somebody may have put anything there: what isn't a file is not opened, since a pipe never ends.
fn read(path: &Path) -> Result<Proposal, String> {
    let is_file = fs::symlink_metadata(path).map_err(|error| error.to_string())?.is_file();
    if !is_file {
        return Err("it isn't a file".to_owned());
    }
    let text = fs::read(path).map_err(|error| error.to_string())?;
    let proposal: Proposal = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    Ok(Proposal { agent: shown::one_line(&proposal.agent).into_owned(), ..proposal })
}

/// Takes the proposal for that table out of the folder.
///
/// # Errors
/// [`DescribeError::File`].
pub fn withdraw(folder: &Path, table: &TableId) -> Result<(), DescribeError> {
    let path = path_of(folder, table);
    fs::remove_file(&path).map_err(|source| DescribeError::File { path, action: "removed", source })
}

/// Named by a hash: names of tables hold what no file's name may.
fn path_of(folder: &Path, table: &TableId) -> PathBuf {
    let digest = Sha256::digest(table.to_string().as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn proposal(table: &str, purpose: &str) -> Proposal {
        Proposal {
            table: TableId::new("s", table),
            written: Written { table: table.into(), purpose: purpose.into(), ..Written::default() },
            agent: "test-agent".into(),
            at: Timestamp::UNIX_EPOCH,
            basis: "0123456789abcdef".into(),
            unseen: vec!["email".into()],
        }
    }

    #[test]
    fn proposals_wait_until_they_are_withdrawn() {
        let holder = tempfile::tempdir().unwrap();
        let folder = holder.path().join("proposed");
        assert_eq!(proposals(&folder).unwrap().proposals, []);
        for (table, purpose) in [("loans", "First."), ("a/b", "Odd name."), ("loans", "Second.")] {
            propose(&folder, &proposal(table, purpose)).unwrap();
        }
        let waiting = proposals(&folder).unwrap().proposals;
        assert_eq!(waiting, [proposal("a/b", "Odd name."), proposal("loans", "Second.")]);
        withdraw(&folder, &TableId::new("s", "loans")).unwrap();
        assert_eq!(proposals(&folder).unwrap().proposals.len(), 1);
        assert_eq!(withdraw(&folder, &TableId::new("s", "loans")).unwrap_err().code(), "docs_file");
    }

    #[test]
    fn what_is_no_proposal_is_named_and_keeps_no_other_back() {
        let folder = tempfile::tempdir().unwrap();
        propose(folder.path(), &Proposal { agent: "a\nb (by a person)".into(), ..proposal("loans", "First.") })
            .unwrap();
        fs::write(folder.path().join("0.json"), "{}").unwrap();
        fs::create_dir(folder.path().join("1.json")).unwrap();
        let waiting = proposals(folder.path()).unwrap();
        let names: Vec<_> = waiting.unreadable.iter().map(|(path, _)| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["0.json", "1.json"]);
        assert!(!waiting.proposals[0].agent.contains('\n'), "{}", waiting.proposals[0].agent);
    }
}
