//! Functions known to compute from their arguments and nothing else.
//!
//! A list of what is allowed, because lists of what is forbidden are never complete: an extension or a new version adds
//! functions that read files, sleep or write. The lists are text, one for each dialect, with where they come from.

use std::collections::BTreeSet;
use std::sync::LazyLock;

pub(crate) const COMMON: &str = include_str!("functions/common.txt");
pub(crate) const SQLITE: &str = include_str!("functions/sqlite.txt");
pub(crate) const POSTGRES: &str = include_str!("functions/postgres.txt");
pub(crate) const MYSQL: &str = include_str!("functions/mysql.txt");
pub(crate) const DUCKDB: &str = include_str!("functions/duckdb.txt");
pub(crate) const CLICKHOUSE: &str = include_str!("functions/clickhouse.txt");

/// The functions of an engine.
#[derive(Debug)]
pub struct Functions {
    pub(crate) pure: &'static LazyLock<BTreeSet<&'static str>>,
    /// Schemas that built-in functions may be qualified with: where nobody else can put one, or where what they put there is
    /// known.
    pub built_in_schemas: &'static [&'static str],
    /// The one of them that names the engine's own function, whatever others have made.
    pub own_schema: Option<&'static str>,
    /// `count()` is an error; elsewhere it is `count(*)`.
    pub count_wants_argument: bool,
    /// Functions of other dialects, with what they are called here.
    pub called_otherwise: &'static [(&'static [&'static str], &'static str)],
}

impl Functions {
    /// Those that compute and do nothing else, in lower case.
    pub fn pure(&self) -> &'static BTreeSet<&'static str> {
        self.pure
    }

    /// What a function of another dialect is called here.
    pub fn replacement(&self, name: &str) -> Option<&'static str> {
        self.called_otherwise.iter().find(|(others, _)| others.contains(&name)).map(|(_, own)| *own)
    }
}

/// The names in these lists.
pub(crate) fn names_of(lists: &[&'static str]) -> BTreeSet<&'static str> {
    lists
        .iter()
        .flat_map(|list| list.lines())
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{CLICKHOUSE, COMMON, DUCKDB, MYSQL, POSTGRES, SQLITE, names_of};

    #[test]
    fn names_in_the_lists_are_lower_case_words() {
        for name in names_of(&[COMMON, SQLITE, POSTGRES, MYSQL, DUCKDB, CLICKHOUSE]) {
            let plain =
                |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
            assert!(name.chars().all(plain), "{name}");
        }
    }
}
