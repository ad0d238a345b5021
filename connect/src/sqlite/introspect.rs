//! Tables, columns, keys and indexes of a SQLite file.
//!
//! One statement per table and question, so that a view that has lost its tables fails alone: it is listed without
//! columns, and whoever reads from it gets the engine's reason.

use catalog::{Column, Identity, Index, Table, TableId, TableKind, TypeClass};
use rusqlite::Row;

use super::ddl;
use super::session::Session;
use crate::declared_keys::{self, DeclaredKey};
use crate::error::ConnectError;
use crate::statement::LiveRelation;

const TABLES: &str = include_str!("introspection/tables.sql");
const COLUMNS: &str = include_str!("introspection/columns.sql");
const FOREIGN_KEYS: &str = include_str!("introspection/foreign_keys.sql");
const INDEXES: &str = include_str!("introspection/indexes.sql");

struct Listed {
    name: String,
    kind: String,
    without_rowid: bool,
    sql: Option<String>,
    /// The page of the file where its rows begin; 0 where it has none.
    root_page: i64,
}

impl Listed {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (name, kind, without_rowid) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Self { name, kind, without_rowid, sql: row.get(3)?, root_page: row.get(4)? })
    }

    fn kind(&self) -> TableKind {
        match self.kind.as_str() {
            "table" => TableKind::Table,
            "view" => TableKind::View,
            _ if self.sql.as_deref().is_some_and(ddl::is_contentless) => {
                TableKind::Other(catalog::CONTENTLESS.to_owned())
            }
            other => TableKind::Other(format!("{other} table")),
        }
    }

    /// What tells it from other tables, whatever it is called, until the file is written anew by VACUUM.
    fn identity(&self) -> Identity {
        Identity::of((self.root_page != 0).then(|| self.root_page.to_string()))
    }

    /// A view's query text.
    fn definition(&self, kind: &TableKind) -> Option<String> {
        let sql = self.sql.as_deref().unwrap_or_default();
        (*kind == TableKind::View).then(|| ddl::view_query(sql).unwrap_or(sql).to_owned())
    }
}

struct ListedColumn {
    name: String,
    data_type: String,
    not_null: bool,
    default: Option<String>,
    /// Its place in the primary key, from 1; 0 where it has none.
    key_position: i64,
    is_generated: bool,
}

/// Everything there is, by name.
pub(super) fn tables(session: &Session<'_>, source: &str) -> Result<Vec<Table>, ConnectError> {
    let listed = session.all_rows(&TABLES.replace("{of}", "").replace("{in_order}", ""), [], Listed::read)?;
    let mut tables = Vec::with_capacity(listed.len());
    let mut keys = Vec::with_capacity(listed.len());
    for listed in &listed {
        let table = table(session, source, listed)?;
        keys.push(if table.kind == TableKind::Table { declared_keys(session, &listed.name)? } else { Vec::new() });
        tables.push(table);
    }
    declared_keys::resolve(&mut tables, keys);
    for (position, listed) in listed.iter().enumerate() {
        if !matches!(tables[position].kind, TableKind::Other(_)) {
            continue;
        }
        let words = ddl::words_of_module(listed.sql.as_deref().unwrap_or_default());
        let is_named = |table: &&Table| words.iter().any(|word| word.eq_ignore_ascii_case(&table.id.name));
        let read = tables.iter().filter(is_named).map(|table| table.id.clone());
        tables[position].reads_from = read.filter(|id| id.name != listed.name).collect();
    }
    Ok(tables)
}

/// What a table or view is at this moment.
pub(super) fn live(session: &Session<'_>, id: &TableId) -> Result<Option<LiveRelation>, ConnectError> {
    let one = TABLES.replace("{of}", "(?1)").replace("{in_order}", "CROSS");
    let listed = session.first_row(&one, [&id.name], Listed::read)?;
    let Some(listed) = listed else { return Ok(None) };
    let kind = listed.kind();
    let columns = described_columns(readable_columns(session, &listed.name, &kind)?, &listed, &kind);
    let made = columns.iter().filter_map(|column| Some((column.name.clone(), column.generated.clone()?))).collect();
    let columns = columns.into_iter().map(|column| (column.name, column.data_type)).collect();
    let definition = listed.definition(&kind);
    Ok(Some(LiveRelation {
        id: id.clone(),
        kind,
        definition,
        columns,
        made: Some(made),
        hidden: false,
        identity: listed.identity(),
        part_of: None,
        children: Vec::new(),
        row_policies: Vec::new(),
    }))
}

fn table(session: &Session<'_>, source: &str, listed: &Listed) -> Result<Table, ConnectError> {
    let kind = listed.kind();
    let columns = readable_columns(session, &listed.name, &kind)?;
    Ok(Table {
        id: TableId::new(source, &listed.name),
        definition: listed.definition(&kind),
        comment: None,
        primary_key: primary_key(&columns),
        indexes: if kind == TableKind::Table { indexes(session, &listed.name)? } else { Vec::new() },
        columns: described_columns(columns, listed, &kind),
        kind,
        foreign_keys: Vec::new(),
        row_count: None,
        last_update: None,
        reads_from: Vec::new(),
        partitions: Vec::new(),
        row_policies: Vec::new(),
        identity: listed.identity(),
    })
}

/// The columns of a relation; none of one that can't be read: a view over a table that is gone, or a virtual table whose
/// module is not compiled in, or asks to write as soon as it is looked at, such as `rtree`.
fn readable_columns(session: &Session<'_>, table: &str, kind: &TableKind) -> Result<Vec<ListedColumn>, ConnectError> {
    match columns(session, table) {
        Err(ConnectError::Statement { reason } | ConnectError::Denied { reason }) if *kind != TableKind::Table => {
            tracing::debug!(table, reason, "the table can't be read");
            Ok(Vec::new())
        }
        columns => columns,
    }
}

fn columns(session: &Session<'_>, table: &str) -> Result<Vec<ListedColumn>, ConnectError> {
    session.all_rows(COLUMNS, [table], |row| {
        Ok(ListedColumn {
            name: row.get(0)?,
            data_type: row.get(1)?,
            not_null: row.get(2)?,
            default: row.get(3)?,
            key_position: row.get(4)?,
            is_generated: row.get(5)?,
        })
    })
}

fn primary_key(columns: &[ListedColumn]) -> Vec<String> {
    let mut key: Vec<&ListedColumn> = columns.iter().filter(|column| column.key_position > 0).collect();
    key.sort_by_key(|column| column.key_position);
    key.into_iter().map(|column| column.name.clone()).collect()
}

fn described_columns(columns: Vec<ListedColumn>, listed: &Listed, kind: &TableKind) -> Vec<Column> {
    let sql = listed.sql.as_deref().filter(|_| *kind == TableKind::Table).unwrap_or_default();
    let mut allowed = ddl::allowed_values(sql);
    let mut comments = ddl::column_comments(sql);
    let mut expressions = ddl::generated_columns(sql);
    let key_columns = columns.iter().filter(|column| column.key_position > 0).count();
    let mut taken = |name: &str| {
        let position = allowed.iter().position(|(column, _)| column.eq_ignore_ascii_case(name))?;
        Some(allowed.swap_remove(position).1)
    };
    let mut comment = |name: &str| {
        let position = comments.iter().position(|(column, _)| column.eq_ignore_ascii_case(name))?;
        Some(comments.swap_remove(position).1).filter(|comment| !comment.is_empty())
    };
    let mut expression = |name: &str| {
        let position = expressions.iter().position(|(column, _)| column.eq_ignore_ascii_case(name));
        position.map(|position| expressions.swap_remove(position).1).unwrap_or_default()
    };
    columns
        .into_iter()
        .map(|column| {
            // A key of an ordinary table may hold NULL, but for the one that is the rowid: https://www.sqlite.org/quirks.html
            let is_rowid = key_columns == 1 && column.data_type.eq_ignore_ascii_case("integer");
            let key_forbids_null = column.key_position > 0 && (listed.without_rowid || is_rowid);
            Column {
                enum_values: taken(&column.name).unwrap_or_default(),
                comment: comment(&column.name),
                generated: column.is_generated.then(|| expression(&column.name)),
                nullable: !column.not_null && !key_forbids_null,
                type_class: TypeClass::of(&column.data_type),
                name: column.name,
                data_type: column.data_type,
                default: column.default,
            }
        })
        .collect()
}

fn declared_keys(session: &Session<'_>, table: &str) -> Result<Vec<DeclaredKey>, ConnectError> {
    let parts = session.all_rows(FOREIGN_KEYS, [table], |row| {
        let part: (i64, String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(part)
    })?;
    let mut keys: Vec<DeclaredKey> = Vec::new();
    let mut last = None;
    for (id, ref_table, from, to) in parts {
        if last != Some(id) {
            last = Some(id);
            keys.push(DeclaredKey { columns: Vec::new(), ref_schema: None, ref_table, ref_columns: Vec::new() });
        }
        if let Some(key) = keys.last_mut() {
            key.columns.push(from);
            key.ref_columns.extend(to);
        }
    }
    Ok(keys)
}

fn indexes(session: &Session<'_>, table: &str) -> Result<Vec<Index>, ConnectError> {
    type Part = (String, bool, bool, Option<String>, Option<String>);
    let parts: Vec<Part> = session
        .all_rows(INDEXES, [table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
    let mut indexes: Vec<Index> = Vec::new();
    for (name, unique, partial, column, sql) in parts {
        if indexes.last().is_none_or(|index| index.name != name) {
            // A unique index over some of the rows says nothing about all of them.
            indexes.push(Index { name, columns: Vec::new(), unique: unique && !partial });
        }
        let Some(index) = indexes.last_mut() else { continue };
        let position = index.columns.len();
        let term = || ddl::index_terms(sql.as_deref().unwrap_or_default()).into_iter().nth(position);
        index.columns.push(column.or_else(term).unwrap_or_else(|| "expression".to_owned()));
    }
    Ok(indexes)
}
