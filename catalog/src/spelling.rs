//! Names and texts the way a dialect wants them written in a statement.

use crate::model::structure::{Dialect, TableId};

impl Dialect {
    /// A name as it has to be written: bare where it can be, else in the dialect's quotes.
    ///
    /// PostgreSQL folds bare names to lower case, so there a name with capitals is quoted too.
    pub fn identifier(&self, name: &str) -> String {
        let mut characters = name.chars();
        let is_plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|character| character.is_ascii_alphanumeric() || character == '_');
        let folds = *self == Self::Postgres && name.chars().any(char::is_uppercase);
        if is_plain && !folds && RESERVED.binary_search(&name.to_ascii_lowercase().as_str()).is_err() {
            return name.to_owned();
        }
        self.quoted(name)
    }

    /// A name in the dialect's quotes, whether it needs them or not.
    pub fn quoted(&self, name: &str) -> String {
        match self {
            Self::Other(other) if other == "bigquery" => format!("`{}`", name.replace('`', "\\`")),
            Self::Mysql => format!("`{}`", name.replace('`', "``")),
            // Between its backticks a backslash begins an escape, as it does in a text.
            Self::Clickhouse => format!("`{}`", name.replace('\\', "\\\\").replace('`', "``")),
            Self::Other(other) if BACKTICKS.contains(&other.as_str()) => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    /// A table's name as it has to be written, with its schema where it has one.
    pub fn table_name(&self, id: &TableId) -> String {
        match &id.schema {
            Some(schema) => format!("{}.{}", self.identifier(schema), self.identifier(&id.name)),
            None => self.identifier(&id.name),
        }
    }

    /// A text as a literal. Where a backslash begins an escape, it is doubled; where two quotes end one text and begin
    /// the next, a quote is escaped with it.
    pub fn literal(&self, text: &str) -> String {
        let backslash = |text: &str| text.replace('\\', "\\\\");
        match self {
            Self::Other(other) if BACKTICKS.contains(&other.as_str()) => {
                format!("'{}'", backslash(text).replace('\'', "\\'"))
            }
            Self::Mysql | Self::Clickhouse => format!("'{}'", backslash(text).replace('\'', "''")),
            _ => format!("'{}'", text.replace('\'', "''")),
        }
    }
}

/// Dialects without a connector that quote names the way Hive does.
const BACKTICKS: [&str; 4] = ["bigquery", "databricks", "hive", "spark"];

/// Words that can't stand as a bare name in at least one dialect, in order.
const RESERVED: [&str; 96] = [
    "add",
    "all",
    "alter",
    "analyze",
    "and",
    "any",
    "as",
    "asc",
    "between",
    "by",
    "case",
    "cast",
    "check",
    "collate",
    "column",
    "commit",
    "constraint",
    "create",
    "cross",
    "current",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "delete",
    "desc",
    "distinct",
    "drop",
    "else",
    "end",
    "escape",
    "except",
    "exists",
    "false",
    "fetch",
    "for",
    "foreign",
    "from",
    "full",
    "grant",
    "group",
    "having",
    "in",
    "index",
    "inner",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "key",
    "lateral",
    "left",
    "like",
    "limit",
    "natural",
    "not",
    "notnull",
    "null",
    "of",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "over",
    "partition",
    "primary",
    "qualify",
    "range",
    "rank",
    "references",
    "right",
    "row",
    "rows",
    "select",
    "set",
    "some",
    "table",
    "then",
    "to",
    "transaction",
    "trigger",
    "true",
    "union",
    "unique",
    "update",
    "user",
    "using",
    "values",
    "when",
    "where",
    "window",
    "with",
];

#[cfg(test)]
mod tests {
    use super::RESERVED;
    use crate::model::structure::{Dialect, TableId};

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
            ("a-b", &bigquery, "`a-b`"),
            ("a`b", &bigquery, "`a\\`b`"),
            ("a`b", &Dialect::Other("spark".into()), "`a``b`"),
            ("1st", &Dialect::Duckdb, "\"1st\""),
            ("a\"b", &Dialect::Sqlite, "\"a\"\"b\""),
            ("", &Dialect::Sqlite, "\"\""),
        ] {
            assert_eq!(dialect.identifier(name), expected);
        }
        let table = TableId { schema: Some("my sales".into()), ..TableId::new("s", "order") };
        assert_eq!(Dialect::Postgres.table_name(&table), "\"my sales\".\"order\"");
    }

    #[test]
    fn texts_keep_their_quotes_and_backslashes() {
        assert_eq!(Dialect::Sqlite.literal("O'Brien \\"), "'O''Brien \\'");
        assert_eq!(Dialect::Mysql.literal("O'Brien \\"), "'O''Brien \\\\'");
        assert_eq!(Dialect::Other("bigquery".into()).literal("O'Brien \\"), "'O\\'Brien \\\\'");
    }

    #[test]
    fn reserved_words_are_in_order() {
        assert!(RESERVED.is_sorted());
    }
}
