//! What agents wrote that waits for a person: one file for each table, in a folder beside the catalog.
//!
//! A proposal holds the agent's own words. They are checked again when they are accepted, against the table as it is then.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catalog::TableId;
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

/// Everything that waits, by table; none where there is no folder.
///
/// # Errors
/// [`DescribeError::File`] for the first file that can't be read, or isn't a proposal.
pub fn proposals(folder: &Path) -> Result<Vec<Proposal>, DescribeError> {
    let failed = |path: &Path, source| DescribeError::File { path: path.to_owned(), action: "read", source };
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(folder, error)),
    };
    let mut proposals: Vec<Proposal> = Vec::new();
    for file in files {
        let path = file.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read(&path).map_err(|error| failed(&path, error))?;
            let proposal = serde_json::from_slice(&text)
                .map_err(|error| failed(&path, std::io::Error::new(ErrorKind::InvalidData, error)))?;
            proposals.push(proposal);
        }
    }
    proposals.sort_by(|left, right| left.table.cmp(&right.table));
    Ok(proposals)
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
        }
    }

    #[test]
    fn proposals_wait_until_they_are_withdrawn() {
        let holder = tempfile::tempdir().unwrap();
        let folder = holder.path().join("proposed");
        assert_eq!(proposals(&folder).unwrap(), []);
        for (table, purpose) in [("loans", "First."), ("a/b", "Odd name."), ("loans", "Second.")] {
            propose(&folder, &proposal(table, purpose)).unwrap();
        }
        let waiting = proposals(&folder).unwrap();
        assert_eq!(waiting, [proposal("a/b", "Odd name."), proposal("loans", "Second.")]);
        withdraw(&folder, &TableId::new("s", "loans")).unwrap();
        assert_eq!(proposals(&folder).unwrap().len(), 1);
        assert_eq!(withdraw(&folder, &TableId::new("s", "loans")).unwrap_err().code(), "docs_file");
    }

    #[test]
    fn a_damaged_proposal_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("0.json"), "{}").unwrap();
        let error = proposals(folder.path()).unwrap_err();
        assert!(error.to_string().contains("0.json"), "{error}");
    }
}
