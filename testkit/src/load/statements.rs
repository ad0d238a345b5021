//! The statements that make a copy of a SQLite database, in the order in which every engine takes them.
//!
//! Tables come in an order in which each follows those that its keys point to, rows in SQLite's own order, keys and
//! indexes after the rows where the engine allows it. Invariant: the same file and language give the same statements.

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use catalog::{Column, ForeignKey, Index, Table, TableKind};
use regex::Regex;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::language::{Cell, DeclaredType, Keys, Language};
use crate::structure::tables_of_schema;

/// Bytes after which an INSERT is ended: far below what any server takes at once.
const INSERT_BYTES: usize = 512 * 1024;
/// Indexes that SQLite makes for a UNIQUE of a table's definition are named like this.
const OF_UNIQUE: &str = "sqlite_autoindex_";

/// What became of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// Rows that were written into statements.
    pub rows: usize,
    /// What isn't copied, each with the reason.
    pub left_out: Vec<String>,
}

/// Hands the statements over one after the other, without a semicolon at their end.
///
/// # Panics
/// When the file isn't a SQLite database, or declares a type that [`DeclaredType::of`] doesn't know.
pub fn statements(language: &dyn Language, database: &Path, take: &mut dyn FnMut(String)) -> Statements {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .unwrap_or_else(|error| panic!("{} can't be opened: {error}", database.display()));
    let mut writer = Writer { language, connection: &connection, take, outcome: Statements::default() };
    writer.everything();
    writer.outcome
}

struct Writer<'a> {
    language: &'a dyn Language,
    connection: &'a Connection,
    take: &'a mut dyn FnMut(String),
    outcome: Statements,
}

impl Writer<'_> {
    fn everything(&mut self) {
        let found = tables_of_schema(self.connection, "copied", "main");
        let (views, tables): (Vec<Table>, Vec<Table>) =
            found.into_iter().partition(|table| table.kind == TableKind::View);
        let tables = referenced_first(tables);
        for sql in self.language.opening() {
            (self.take)((*sql).to_owned());
        }
        for table in &tables {
            self.create(table);
            self.rows(table);
        }
        match self.language.keys() {
            Keys::Added => {
                tables.iter().for_each(|table| self.indexes(table));
                tables.iter().for_each(|table| self.foreign_keys(table));
            }
            Keys::Inline => tables.iter().for_each(|table| self.indexes(table)),
            Keys::SortingOnly => tables.iter().for_each(|table| self.without_keys(table)),
        }
        for view in &views {
            self.view(view);
        }
        for table in &tables {
            let name = self.language.quoted(&table.id.name);
            self.language.analyze(&name).into_iter().for_each(&mut *self.take);
        }
    }

    fn leave_out(&mut self, what: String) {
        self.outcome.left_out.push(what);
    }

    fn create(&mut self, table: &Table) {
        let language = self.language;
        let keys = language.keys() != Keys::SortingOnly;
        let mut parts: Vec<String> = table.columns.iter().map(|column| self.column(table, column)).collect();
        if keys && !table.primary_key.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", self.names(&table.primary_key).join(", ")));
        }
        if keys {
            let uniques = table.indexes.iter().filter(|index| is_of_definition(index));
            parts.extend(uniques.map(|index| format!("UNIQUE ({})", self.names(&index.columns).join(", "))));
        }
        if language.keys() == Keys::Inline {
            parts.extend(table.foreign_keys.iter().map(|key| self.foreign_key(key)));
        }
        let options = language.table_options(&self.names(&table.primary_key));
        let name = language.quoted(&table.id.name);
        (self.take)(format!("CREATE TABLE {name} (\n    {}\n){options}", parts.join(",\n    ")));
        if self.has_checks(&table.id.name) {
            self.leave_out(format!("checks of `{}`: SQLite tells of them in its own words only", table.id.name));
        }
        for column in self.listed("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden IN (2, 3)", table) {
            self.leave_out(format!("column `{}.{column}`: it is computed", table.id.name));
        }
        let actions = "SELECT \"from\" FROM pragma_foreign_key_list(?1)
                       WHERE on_update <> 'NO ACTION' OR on_delete <> 'NO ACTION'";
        for column in self.listed(actions, table) {
            self.leave_out(format!("actions of the foreign key `{}.{column}`: the key alone is copied", table.id.name));
        }
    }

    /// What a statement lists for a table.
    fn listed(&self, sql: &str, table: &Table) -> Vec<String> {
        let mut statement = self.connection.prepare(sql).expect("the statement is a constant that the tests run");
        let rows = statement.query_map([&table.id.name], |row| row.get(0)).expect("a table can be read");
        rows.collect::<Result<_, _>>().expect("a table can be read")
    }

    fn column(&self, table: &Table, column: &Column) -> String {
        let mut text = self.language.quoted(&column.name);
        let declared = declared(table, column);
        let _ = write!(text, " {}", self.language.column_type(declared, column.nullable));
        if let Some(default) = &column.default {
            let _ = write!(text, " DEFAULT {default}");
        }
        text
    }

    fn names(&self, names: &[String]) -> Vec<String> {
        names.iter().map(|name| self.language.quoted(name)).collect()
    }

    fn has_checks(&self, table: &str) -> bool {
        static CHECK: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i)\bCHECK\s*\(").expect("the pattern is a constant that the tests compile")
        });
        let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1 AND type = 'table'";
        let definition: String =
            self.connection.query_row(sql, [table], |row| row.get(0)).expect("a table has a definition");
        CHECK.is_match(&definition)
    }

    fn rows(&mut self, table: &Table) {
        let types: Vec<DeclaredType> = table.columns.iter().map(|column| declared(table, column)).collect();
        let (start, end) = self.language.insertion(&self.language.quoted(&table.id.name), &types);
        // Where the keys are there before the rows, a row may point to those of earlier statements only.
        let one_by_one =
            self.language.keys() == Keys::Inline && table.foreign_keys.iter().any(|key| key.ref_table == table.id);
        let longest = if one_by_one { 0 } else { INSERT_BYTES };
        let name = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<String> = table.columns.iter().map(|column| name(&column.name)).collect();
        let select = format!("SELECT {} FROM {}", columns.join(", "), name(&table.id.name));
        let mut reading = self.connection.prepare(&select).expect("a table can be read");
        let mut rows = reading.query([]).expect("a table can be read");
        let mut sql = String::new();
        while let Some(row) = rows.next().expect("a table can be read") {
            let cells = types.iter().enumerate().map(|(place, declared)| {
                let value = row.get_ref(place).expect("a row has as many cells as its table columns");
                cell(*declared, value)
                    .unwrap_or_else(|| panic!("`{}` holds {value:?} in a {declared:?}", table.id.name))
            });
            let cells: Vec<Cell> = cells.collect();
            sql.push_str(if sql.is_empty() { &start } else { ",\n" });
            sql.push_str(&self.language.row(&cells));
            self.outcome.rows += 1;
            if sql.len() > longest {
                sql.push_str(end);
                (self.take)(std::mem::take(&mut sql));
            }
        }
        if !sql.is_empty() {
            sql.push_str(end);
            (self.take)(sql);
        }
    }

    fn indexes(&mut self, table: &Table) {
        let partial = self.listed("SELECT name FROM pragma_index_list(?1) WHERE partial", table);
        for index in table.indexes.iter().filter(|index| !is_of_definition(index)) {
            if partial.contains(&index.name) {
                self.leave_out(format!("index `{}`: it has a condition", index.name));
                continue;
            }
            if index.columns.iter().any(|column| table.column(column).is_none()) {
                self.leave_out(format!("index `{}`: it is on an expression", index.name));
                continue;
            }
            let unique = if index.unique { "UNIQUE " } else { "" };
            let (name, columns) = (self.language.quoted(&index.name), self.names(&index.columns).join(", "));
            let table = self.language.quoted(&table.id.name);
            (self.take)(format!("CREATE {unique}INDEX {name} ON {table} ({columns})"));
        }
    }

    fn foreign_keys(&mut self, table: &Table) {
        for key in &table.foreign_keys {
            let name = self.language.quoted(&table.id.name);
            let added = self.foreign_key(key);
            (self.take)(format!("ALTER TABLE {name} ADD {added}"));
        }
    }

    fn foreign_key(&self, key: &ForeignKey) -> String {
        let (columns, ref_columns) = (self.names(&key.columns).join(", "), self.names(&key.ref_columns).join(", "));
        format!("FOREIGN KEY ({columns}) REFERENCES {} ({ref_columns})", self.language.quoted(&key.ref_table.name))
    }

    /// Names what an engine without keys lacks.
    fn without_keys(&mut self, table: &Table) {
        let (engine, name) = (self.language.name(), &table.id.name);
        let keys = table.foreign_keys.iter().map(|key| format!("foreign key {}", key.columns.join(", ")));
        let indexes = table.indexes.iter().map(|index| format!("index on {}", index.columns.join(", ")));
        let lacking: Vec<String> =
            keys.chain(indexes).map(|what| format!("{what} of `{name}`: {engine} has none")).collect();
        self.outcome.left_out.extend(lacking);
    }

    fn view(&mut self, view: &Table) {
        let definition = view.definition.as_deref().unwrap_or_default();
        match translated(self.language, definition) {
            Some(query) => (self.take)(format!("CREATE VIEW {} AS\n{query}", self.language.quoted(&view.id.name))),
            None => self.leave_out(format!("view `{}`: it uses functions that only SQLite has", view.id.name)),
        }
    }
}

fn is_of_definition(index: &Index) -> bool {
    index.name.starts_with(OF_UNIQUE)
}

fn declared(table: &Table, column: &Column) -> DeclaredType {
    DeclaredType::of(&column.data_type).unwrap_or_else(|| {
        panic!("`{}.{}` is a `{}`, which has no translation", table.id.name, column.name, column.data_type)
    })
}

/// The tables with those that others point to before them; a key into its own table asks for nothing.
fn referenced_first(tables: Vec<Table>) -> Vec<Table> {
    let mut rest = tables;
    let mut ordered: Vec<Table> = Vec::new();
    while !rest.is_empty() {
        let waits = |table: &Table| {
            table
                .foreign_keys
                .iter()
                .any(|key| key.ref_table != table.id && rest.iter().any(|other| other.id == key.ref_table))
        };
        // In a circle of keys somebody has to be the first.
        let next = rest.iter().position(|table| !waits(table)).unwrap_or(0);
        ordered.push(rest.remove(next));
    }
    ordered
}

/// A cell; `None` where a column holds what its declared type doesn't say.
fn cell(declared: DeclaredType, value: ValueRef<'_>) -> Option<Cell> {
    Some(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(flag) if declared == DeclaredType::Boolean => match flag {
            0 => Cell::Boolean(false),
            1 => Cell::Boolean(true),
            _ => return None,
        },
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) if number.is_finite() => Cell::Text(number.to_string()),
        ValueRef::Text(text) => Cell::Text(std::str::from_utf8(text).ok()?.to_owned()),
        ValueRef::Real(_) | ValueRef::Blob(_) => return None,
    })
}

/// The query of a view, with SQLite's way to say a month in the words of the engine; `None` where other functions of
/// SQLite's own are in it.
fn translated(language: &dyn Language, definition: &str) -> Option<String> {
    static QUERY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?is)^\s*CREATE\s.*?\bAS\s+((?:WITH|SELECT)\b.*)$").expect("the pattern is a constant")
    });
    static MONTH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\bstrftime\s*\(\s*'%Y-%m'\s*,\s*([\w.]+)\s*\)").expect("the pattern is a constant")
    });
    static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
        let names =
            r"(?i)\b(strftime|julianday|unixepoch|datetime|date|time|printf|group_concat|json_\w+|glob|iif)\s*\(";
        Regex::new(names).expect("the pattern is a constant")
    });
    let query = QUERY.captures(definition)?.get(1)?.as_str();
    let without_months = MONTH.replace_all(query, "");
    if FOREIGN.is_match(&without_months) {
        return None;
    }
    Some(MONTH.replace_all(query, |found: &regex::Captures<'_>| language.month_of(&found[1])).into_owned())
}
