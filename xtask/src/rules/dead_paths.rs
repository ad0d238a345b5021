//! Every path a document names exists, so that the documents can't drift away from the code.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::repository::Repository;

pub(crate) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let link = Regex::new(r"\]\(([^)#\s]+)")?;
    let code = Regex::new(r"`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?)`")?;
    let mut complaints = Vec::new();
    for (document, text) in repository.texts("md")? {
        // Rendered catalogs link among themselves, and are compared with their source elsewhere.
        if document.starts_with("samples") || document.starts_with("eval-runs") {
            continue;
        }
        let folder = document.parent().unwrap_or(Path::new(""));
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if !target.contains("://")
                && !target.starts_with("mailto:")
                && !repository.has(&normal(&folder.join(&target)))
            {
                complaints.push(format!("{} links to `{target}`, which doesn't exist", document.display()));
            }
        }
        for target in code.captures_iter(&text).map(|found| found[1].to_owned()) {
            let first = target.split('/').next().unwrap_or_default();
            let ours = repository.has(Path::new(first));
            if ours
                && first != "target"
                && !repository.has(Path::new(&target))
                && !repository.has(&folder.join(&target))
            {
                complaints.push(format!("{} names `{target}`, which doesn't exist", document.display()));
            }
        }
    }
    Ok(complaints)
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}
