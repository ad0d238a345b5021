//! Mending a statement's text: spellings, quotes, and cutting a piece in.

use catalog::Dialect;
use sql::Span;

/// The text with a span replaced; `None` where the span doesn't fit.
pub(crate) fn replaced(sql: &str, span: Span, by: &str) -> Option<String> {
    let (before, after) = (sql.get(..span.start)?, sql.get(span.end..)?);
    Some(format!("{before}{by}{after}"))
}

/// A name as it has to be written: in quotes where it is no plain word.
pub(crate) fn spelt(name: &str, dialect: &Dialect) -> String {
    let folds = *dialect == Dialect::Postgres && name.chars().any(char::is_uppercase);
    let mut characters = name.chars();
    let plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_');
    if plain && !folds && !RESERVED.contains(&name.to_ascii_uppercase().as_str()) {
        return name.to_owned();
    }
    match dialect {
        Dialect::Mysql | Dialect::Clickhouse => format!("`{}`", name.replace('`', "``")),
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A string as a literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Words that can't stand as a name in at least one dialect.
const RESERVED: [&str; 88] = [
    "ADD",
    "ALL",
    "ALTER",
    "ANALYZE",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CHECK",
    "COLLATE",
    "COLUMN",
    "COMMIT",
    "CONSTRAINT",
    "CREATE",
    "CROSS",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "FALSE",
    "FETCH",
    "FOR",
    "FOREIGN",
    "FROM",
    "FULL",
    "GRANT",
    "GROUP",
    "HAVING",
    "IN",
    "INDEX",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "ISNULL",
    "JOIN",
    "KEY",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NATURAL",
    "NOT",
    "NOTNULL",
    "NULL",
    "OF",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PRIMARY",
    "RANK",
    "REFERENCES",
    "RIGHT",
    "ROW",
    "ROWS",
    "SELECT",
    "SET",
    "SOME",
    "TABLE",
    "THEN",
    "TO",
    "TRANSACTION",
    "TRIGGER",
    "TRUE",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "USER",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
];

#[cfg(test)]
mod tests {
    use super::{quoted, replaced, spelt};
    use catalog::Dialect;
    use sql::Span;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(spelt("total", &Dialect::Sqlite), "total");
        assert_eq!(spelt("order", &Dialect::Sqlite), "\"order\"");
        assert_eq!(spelt("first name", &Dialect::Mysql), "`first name`");
        assert_eq!(spelt("Total", &Dialect::Postgres), "\"Total\"");
        assert_eq!(spelt("a\"b", &Dialect::Sqlite), "\"a\"\"b\"");
        assert_eq!(quoted("O'Brien"), "'O''Brien'");
    }

    #[test]
    fn a_span_that_does_not_fit_mends_nothing() {
        assert_eq!(replaced("SELECT é", Span { start: 7, end: 9 }, "e").as_deref(), Some("SELECT e"));
        assert_eq!(replaced("SELECT é", Span { start: 8, end: 9 }, "e"), None);
        assert_eq!(replaced("x", Span { start: 0, end: 5 }, "e"), None);
    }
}
