//! DuckDB's words.
//!
//! Rows are written as one JSON document for each statement: a literal for each cell costs it ten times as long.

use serde_json::{Value, json};

use super::language::{Cell, DeclaredType, Keys, Language};

/// DuckDB's words.
pub const DUCKDB: &dyn Language = &Duckdb;

struct Duckdb;

impl Language for Duckdb {
    fn name(&self) -> &'static str {
        "DuckDB"
    }

    fn type_name(&self, declared: DeclaredType) -> String {
        match declared {
            DeclaredType::Integer => "BIGINT".to_owned(),
            DeclaredType::Real => "DOUBLE".to_owned(),
            DeclaredType::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
            DeclaredType::Char(_) | DeclaredType::Varchar(_) | DeclaredType::Text => "VARCHAR".to_owned(),
            DeclaredType::Boolean => "BOOLEAN".to_owned(),
            DeclaredType::Date => "DATE".to_owned(),
            DeclaredType::Timestamp => "TIMESTAMP".to_owned(),
            DeclaredType::Json => "JSON".to_owned(),
        }
    }

    fn month_of(&self, moment: &str) -> String {
        format!("strftime({moment}, '%Y-%m')")
    }

    fn keys(&self) -> Keys {
        Keys::Inline
    }

    fn insertion(&self, quoted_table: &str, types: &[DeclaredType]) -> (String, &'static str) {
        let fields = types.iter().enumerate().map(|(place, declared)| {
            // A document inside the document is a text that becomes one when it is stored.
            let read_as = if *declared == DeclaredType::Json { DeclaredType::Text } else { *declared };
            (format!("c{place}"), Value::from(self.type_name(read_as)))
        });
        let structure = json!([fields.collect::<serde_json::Map<_, _>>()]).to_string();
        let structure = self.text_literal(&structure);
        let rows = format!("unnest(from_json(documents, {structure}), recursive := true)");
        (format!("INSERT INTO {quoted_table}\nSELECT {rows} FROM (SELECT '[\n"), "\n]' AS documents)")
    }

    fn row(&self, cells: &[Cell]) -> String {
        let fields = cells.iter().enumerate().map(|(place, cell)| {
            let value = match cell {
                Cell::Null => Value::Null,
                Cell::Boolean(flag) => (*flag).into(),
                Cell::Integer(number) => (*number).into(),
                Cell::Text(text) => text.as_str().into(),
            };
            (format!("c{place}"), value)
        });
        Value::Object(fields.collect()).to_string().replace('\'', "''")
    }
}
