//! DuckDB: its words, and files of it.
//!
//! Rows are written as one JSON document for each statement: a literal for each cell costs it ten times as long.

#[expect(unsafe_code, reason = "the engine is a library with a C interface, loaded at run time")]
mod library;

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::library::{Connection, Library};
use super::Place;
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

/// Files that a library of the engine writes, in a folder of their own.
pub struct DuckdbFiles {
    library: PathBuf,
    made: Option<Made>,
}

/// A file, gone with the value.
struct Made {
    library: Library,
    path: PathBuf,
    /// Only while something is written, because nobody else can read the file meanwhile.
    connection: Option<Connection>,
    _folder: TempDir,
}

impl DuckdbFiles {
    /// Files written by the library at this path, such as `/usr/lib/libduckdb.so`.
    pub fn by(library: &str) -> Self {
        Self { library: PathBuf::from(library), made: None }
    }
}

impl Place for DuckdbFiles {
    fn language(&self) -> &'static dyn Language {
        DUCKDB
    }

    fn create(&mut self, name: &str) -> Result<String, String> {
        self.remove(name)?;
        let library = Library::load(&self.library)?;
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let path = folder.path().join(name).with_extension("duckdb");
        let address = format!("duckdb://{}", path.display());
        self.made = Some(Made { library, path, connection: None, _folder: folder });
        Ok(address)
    }

    fn run(&mut self, sql: &str) -> Result<(), String> {
        let made = self.made.as_mut().ok_or("no database has been made")?;
        let connection = match made.connection.take() {
            Some(connection) => connection,
            None => made.library.open(&made.path)?,
        };
        made.connection.insert(connection).run(sql)
    }

    fn release(&mut self) {
        if let Some(made) = &mut self.made {
            made.connection = None;
        }
    }

    fn remove(&mut self, _name: &str) -> Result<(), String> {
        self.made = None;
        Ok(())
    }
}
