//! What is really in the shop, counted in the SQLite file itself: what figures from a sample are held to.

use std::path::Path;

use catalog::TypeClass;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// The file.
pub(super) struct Truth(Connection);

impl Truth {
    pub(super) fn of(path: &Path) -> Self {
        Self(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap())
    }

    /// How many different values a column has.
    pub(super) fn distinct(&self, table: &str, column: &str) -> u64 {
        let sql = format!("SELECT count(DISTINCT \"{column}\") FROM \"{table}\"");
        let counted: i64 = self.0.query_row(&sql, [], |row| row.get(0)).unwrap();
        counted.unsigned_abs()
    }

    /// The share of a table's rows whose cell compares like this (`<`, `=`, `>`) with the value.
    pub(super) fn share(&self, table: &str, column: &str, class: TypeClass, comparison: &str, value: &str) -> f64 {
        let value = match value.parse::<f64>() {
            Ok(number) if class.is_numeric() || class == TypeClass::Boolean => Value::Real(number),
            _ => Value::Text(value.to_owned()),
        };
        let sql = format!("SELECT coalesce(avg(coalesce(\"{column}\" {comparison} ?1, 0)), 0) FROM \"{table}\"");
        self.0.query_row(&sql, [value], |row| row.get(0)).unwrap()
    }
}

/// A value as text in the form that all engines share: numbers as the shortest that reads back, truth as 1 and 0,
/// moments with a blank and without a fraction of nothing.
pub(super) fn canonical(text: &str, class: TypeClass) -> String {
    match class {
        TypeClass::Boolean => match text {
            "true" => "1".to_owned(),
            "false" => "0".to_owned(),
            other => other.to_owned(),
        },
        TypeClass::Integer | TypeClass::Real => {
            text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| number.to_string())
        }
        TypeClass::Timestamp => {
            let text = text.replace('T', " ");
            let without_zone = text.trim_end_matches("+00").trim_end_matches("+00:00").trim_end_matches('Z');
            match without_zone.split_once('.') {
                Some((moment, fraction)) if fraction.chars().all(|digit| digit == '0') => moment.to_owned(),
                _ => without_zone.to_owned(),
            }
        }
        _ => text.to_owned(),
    }
}
