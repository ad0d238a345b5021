//! What differs between the engines' words, with the standard's as the defaults.
//!
//! Invariant: a language never looks at rows or tables as a whole; the order of statements is decided in
//! [`super::statements`] alone.

/// A declared type, in terms that every engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredType {
    /// Whole numbers of up to 64 bits.
    Integer,
    /// Numbers in double precision.
    Real,
    /// Exact numbers, with digits in all and behind the point.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// Characters of one length.
    Char(u16),
    /// Characters up to a length.
    Varchar(u16),
    /// Characters.
    Text,
    /// True and false.
    Boolean,
    /// Days.
    Date,
    /// Moments without a zone.
    Timestamp,
    /// JSON documents.
    Json,
}

impl DeclaredType {
    /// What SQLite's declared type stands for; `None` for words it doesn't know.
    pub fn of(declared: &str) -> Option<Self> {
        let upper = declared.to_ascii_uppercase();
        let (word, numbers) = upper.split_once('(').unwrap_or((&upper, ""));
        let mut numbers = numbers.trim_end_matches(')').split(',').map(|number| number.trim().parse::<u16>());
        let mut number = || numbers.next()?.ok();
        Some(match word.trim() {
            "INTEGER" | "BIGINT" | "INT" => Self::Integer,
            "REAL" | "DOUBLE" => Self::Real,
            "DECIMAL" | "NUMERIC" => {
                let (precision, scale) = (number().unwrap_or(38), number().unwrap_or(0));
                Self::Decimal { precision: u8::try_from(precision).ok()?, scale: u8::try_from(scale).ok()? }
            }
            "CHAR" => Self::Char(number().unwrap_or(1)),
            "VARCHAR" => number().map_or(Self::Text, Self::Varchar),
            "TEXT" => Self::Text,
            "BOOLEAN" => Self::Boolean,
            "DATE" => Self::Date,
            "TIMESTAMP" | "DATETIME" => Self::Timestamp,
            "JSON" => Self::Json,
            _ => return None,
        })
    }
}

/// What an engine does with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// All kinds; foreign keys and indexes are added when the rows are there.
    Added,
    /// All kinds, but foreign keys can only be declared with their table.
    Inline,
    /// None: the primary key is the order in which rows are stored.
    SortingOnly,
}

/// A cell that is to be written into a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Anything else, dates and numbers with a fraction among them: as text, no engine takes an exact number for one in
    /// double precision.
    Text(String),
}

/// An engine's words.
pub trait Language {
    /// What people call it: `PostgreSQL`.
    fn name(&self) -> &'static str;

    /// Its name of a type.
    fn type_name(&self, declared: DeclaredType) -> String;

    /// The month of a moment, as `2026-06`.
    fn month_of(&self, moment: &str) -> String;

    /// What it does with keys.
    fn keys(&self) -> Keys {
        Keys::Added
    }

    /// The character that names are quoted with.
    fn quote(&self) -> char {
        '"'
    }

    /// A name as the engine takes it.
    fn quoted(&self, name: &str) -> String {
        let quote = self.quote();
        format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
    }

    /// A text as a literal.
    fn text_literal(&self, text: &str) -> String {
        format!("'{}'", text.replace('\'', "''"))
    }

    /// A column's type with or without NOT NULL.
    fn column_type(&self, declared: DeclaredType, nullable: bool) -> String {
        let name = self.type_name(declared);
        if nullable { name } else { format!("{name} NOT NULL") }
    }

    /// What stands before and behind the rows of an INSERT, which are separated by commas.
    fn insertion(&self, quoted_table: &str, _types: &[DeclaredType]) -> (String, &'static str) {
        (format!("INSERT INTO {quoted_table} VALUES\n"), "")
    }

    /// A row of an INSERT.
    fn row(&self, cells: &[Cell]) -> String {
        let literal = |cell: &Cell| match cell {
            Cell::Null => "NULL".to_owned(),
            Cell::Boolean(true) => "TRUE".to_owned(),
            Cell::Boolean(false) => "FALSE".to_owned(),
            Cell::Integer(number) => number.to_string(),
            Cell::Text(text) => self.text_literal(text),
        };
        format!("({})", cells.iter().map(literal).collect::<Vec<_>>().join(", "))
    }

    /// What stands behind the columns of CREATE TABLE; `key` is empty where there is none.
    fn table_options(&self, _key: &[String]) -> String {
        String::new()
    }

    /// What is run before everything else.
    fn opening(&self) -> &'static [&'static str] {
        &[]
    }

    /// What is run when everything is there, on each table, so that the engine's own figures are up to date.
    fn analyze(&self, _quoted_table: &str) -> Option<String> {
        None
    }
}

/// A text as a literal, where a backslash stands for itself only when it is doubled.
pub(super) fn with_backslashes(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::{DeclaredType, with_backslashes};

    #[test]
    fn reads_declared_types() {
        for (declared, expected) in [
            ("INTEGER", Some(DeclaredType::Integer)),
            ("DECIMAL(10, 2)", Some(DeclaredType::Decimal { precision: 10, scale: 2 })),
            ("varchar(20)", Some(DeclaredType::Varchar(20))),
            ("VARCHAR", Some(DeclaredType::Text)),
            ("CHAR(2)", Some(DeclaredType::Char(2))),
            ("BLOB", None),
            ("", None),
        ] {
            assert_eq!(DeclaredType::of(declared), expected, "{declared}");
        }
    }

    #[test]
    fn a_backslash_can_not_end_a_literal() {
        assert_eq!(with_backslashes(r"it's \"), r"'it''s \\'");
    }
}
