//! Rules about the text of files: documentation, white space, length, what may lie in the root.

use crate::repository::Repository;

/// Longest source file, in lines.
const LONGEST: usize = 800;

/// Everything that may lie in the root folder.
const ROOT: &[&str] = &[
    ".cargo",
    ".ci",
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "agent",
    "bench",
    "catalog",
    "clippy.toml",
    "connect",
    "deny.toml",
    "describe",
    "dialect",
    "docs",
    "eval",
    "eval-runs",
    "fixtures",
    "fuzz",
    "guard",
    "index",
    "lineage",
    "link",
    "llm",
    "models",
    "periplus",
    "privacy",
    "profile",
    "rustfmt.toml",
    "samples",
    "shown",
    "serve",
    "spec",
    "sql",
    "testkit",
    "usage",
    "words",
    "xtask",
];

/// Every source file opens with a sentence on what it is.
pub(crate) fn module_docs(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts("rs")? {
        // A file of tests beside its module is described by the module.
        if !text.starts_with("//!") && !path.ends_with("tests.rs") {
            complaints.push(format!("{} doesn't open with a `//!` line", path.display()));
        }
    }
    Ok(complaints)
}

/// No trailing blanks, no tabs, a newline at the end.
pub(crate) fn white_space(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for extension in ["rs", "toml", "md", "sql", "py"] {
        for (path, text) in repository.texts(extension)? {
            let generated = path.starts_with("samples") || path.components().any(|part| part.as_os_str() == "specs");
            if generated || text.is_empty() {
                continue;
            }
            if let Some(line) = text.lines().position(|line| line != line.trim_end()) {
                complaints.push(format!("{}:{} ends in blanks", path.display(), line + 1));
            }
            if extension != "py" && text.contains('\t') {
                complaints.push(format!("{} holds a tab", path.display()));
            }
            if !text.ends_with('\n') {
                complaints.push(format!("{} doesn't end in a newline", path.display()));
            }
        }
    }
    Ok(complaints)
}

/// Unfinished work belongs in an issue.
pub(crate) fn unfinished(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];
    let mut complaints = Vec::new();
    for extension in ["rs", "md", "toml", "py"] {
        for (path, text) in repository.texts(extension)? {
            for (number, line) in text.lines().enumerate() {
                if words.iter().any(|word| line.split(|c: char| !c.is_alphanumeric()).any(|found| found == *word)) {
                    complaints.push(format!("{}:{} holds an unfinished-work mark", path.display(), number + 1));
                }
            }
        }
    }
    Ok(complaints)
}

/// A file that grows past the limit mixes concerns, or should say why not.
pub(crate) fn file_length(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts("rs")? {
        let lines = text.lines().count();
        if lines > LONGEST && !path.ends_with("tests.rs") {
            complaints.push(format!("{} has {lines} lines, more than {LONGEST}", path.display()));
        }
    }
    Ok(complaints)
}

/// Plans and notes don't pile up in the root.
pub(crate) fn root_allow_list(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut found: Vec<String> = repository
        .files
        .iter()
        .filter_map(|path| path.components().next())
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    found.dedup();
    Ok(found
        .into_iter()
        .filter(|name| !ROOT.contains(&name.as_str()))
        .map(|name| format!("`{name}` may not lie in the root"))
        .collect())
}
