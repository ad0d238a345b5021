//! Names and texts the way a dialect wants them written in a statement.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::Dialect;

/// How names and texts are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    pub(crate) quotes: Quotes,
    pub(crate) escapes: Escapes,
    /// A name without quotes is folded to lower case.
    pub(crate) folds_bare_names: bool,
}

/// What stands around a name, and how it is written inside one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quotes {
    /// Double quotes, doubled.
    Double,
    /// Backticks, doubled.
    Backticks,
    /// Backticks, doubled; a backslash begins an escape, as it does in a text.
    BackticksWithEscapes,
    /// Backticks, behind a backslash.
    EscapedBackticks,
}

/// How a quote is written inside a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Escapes {
    /// Doubled.
    Quotes,
    /// Doubled, and so is a backslash, which begins an escape.
    QuotesAndBackslashes,
    /// Behind a backslash: two quotes end one text and begin the next.
    Backslashes,
}

impl Dialect {
    /// A name as it has to be written: bare where it can be, else in the dialect's quotes. Where bare names are folded to lower
    /// case, one with capitals is quoted too.
    pub fn identifier(&self, name: &str) -> String {
        let mut characters = name.chars();
        let is_plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|character| character.is_ascii_alphanumeric() || character == '_');
        let folds = self.engine().spelling.folds_bare_names && name.chars().any(char::is_uppercase);
        if is_plain && !folds && !RESERVED.contains(name.to_ascii_lowercase().as_str()) {
            return name.to_owned();
        }
        self.quoted(name)
    }

    /// A name in the dialect's quotes, whether it needs them or not.
    pub fn quoted(&self, name: &str) -> String {
        match self.engine().spelling.quotes {
            Quotes::Double => format!("\"{}\"", name.replace('"', "\"\"")),
            Quotes::Backticks => format!("`{}`", name.replace('`', "``")),
            Quotes::BackticksWithEscapes => format!("`{}`", name.replace('\\', "\\\\").replace('`', "``")),
            Quotes::EscapedBackticks => format!("`{}`", name.replace('`', "\\`")),
        }
    }

    /// A name as it has to be written, behind its schema's where it has one.
    pub fn qualified(&self, schema: Option<&str>, name: &str) -> String {
        match schema {
            Some(schema) => format!("{}.{}", self.identifier(schema), self.identifier(name)),
            None => self.identifier(name),
        }
    }

    /// A text as a literal.
    pub fn literal(&self, text: &str) -> String {
        let backslash = |text: &str| text.replace('\\', "\\\\");
        match self.engine().spelling.escapes {
            Escapes::Quotes => format!("'{}'", text.replace('\'', "''")),
            Escapes::QuotesAndBackslashes => format!("'{}'", backslash(text).replace('\'', "''")),
            Escapes::Backslashes => format!("'{}'", backslash(text).replace('\'', "\\'")),
        }
    }
}

/// Words that can't stand as a bare name in at least one dialect.
static RESERVED: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("reserved.txt").split_whitespace().collect());

#[cfg(test)]
mod tests {
    use crate::Dialect;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let bigquery = Dialect::Other("bigquery".into());
        for (name, dialect, expected) in [
            ("plain_1", &Dialect::Sqlite, "plain_1"),
            ("Mixed", &Dialect::Sqlite, "Mixed"),
            ("Mixed", &Dialect::Postgres, "\"Mixed\""),
            ("order", &Dialect::Sqlite, "\"order\""),
            ("Order", &Dialect::Mysql, "`Order`"),
            ("a b", &Dialect::Mysql, "`a b`"),
            ("a`b", &Dialect::Clickhouse, "`a``b`"),
            ("a\\`b", &Dialect::Clickhouse, "`a\\\\``b`"),
            ("a`b", &bigquery, "`a\\`b`"),
            ("a`b", &Dialect::Other("spark".into()), "`a``b`"),
            ("1st", &Dialect::Duckdb, "\"1st\""),
            ("a\"b", &Dialect::Sqlite, "\"a\"\"b\""),
            ("", &Dialect::Sqlite, "\"\""),
        ] {
            assert_eq!(dialect.identifier(name), expected, "{name:?} in {dialect}");
        }
        assert_eq!(Dialect::Postgres.qualified(Some("my sales"), "order"), "\"my sales\".\"order\"");
        assert_eq!(Dialect::Sqlite.qualified(None, "t"), "t");
    }

    #[test]
    fn texts_are_escaped_as_the_dialect_reads_them() {
        assert_eq!(Dialect::Sqlite.literal("O'Brien \\"), "'O''Brien \\'");
        assert_eq!(Dialect::Mysql.literal("O'Brien \\"), "'O''Brien \\\\'");
        assert_eq!(Dialect::Other("bigquery".into()).literal("O'Brien \\"), "'O\\'Brien \\\\'");
    }
}
