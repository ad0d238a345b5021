//! The rules, in the order in which they are worth reading.

mod dead_paths;
mod edges;
mod invariants;
mod lock_files;
mod sentences;
mod text;

use crate::repository::Repository;

/// A rule returns one line for each thing that breaks it.
type Rule = fn(&Repository) -> anyhow::Result<Vec<String>>;

pub(crate) const ALL: &[(&str, Rule)] = &[
    ("edges", edges::check),
    ("invariants", invariants::check),
    ("sentences", sentences::check),
    ("lock-files", lock_files::check),
    ("module-docs", text::module_docs),
    ("white-space", text::white_space),
    ("unfinished", text::unfinished),
    ("file-length", text::file_length),
    ("root", text::root_allow_list),
    ("dead-paths", dead_paths::check),
];
