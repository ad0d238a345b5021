//! The rows behind a profile: counted, drawn by the engine, and cut to size by it.
//!
//! DuckDB keeps columns in groups of rows, with the number of rows and the smallest and largest value of each beside
//! them. Counts and ends are read off; a row alone is not found without reading parts of many groups, but a random part
//! of the groups is read as fast as any. Invariant: no statement here reads a large table from end to end, but for
//! [`contains`], which reads one column, and for views, which the engine has to compute.

use std::time::Instant;

use catalog::{Dialect, Exactness, RowCount, Table, TableKind, TypeClass};

use super::decode::{self, Kind};
use super::engine::Cell;
use super::introspect::Facts;
use super::session::Session;
use crate::connector::{ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest};
use crate::error::ConnectError;
use crate::lengths;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::{KEY_CHARS, SAMPLE_BYTES};
use crate::value::Value;

/// Rows that the engine stores, and takes or leaves, together: `STANDARD_VECTOR_SIZE`.
const ROWS_OF_VECTOR: u64 = 2048;
/// From so many places of a table at least is a sample drawn, because neighbours are alike.
const VECTORS_READ: u64 = 64;
/// Where all chances begin, so that a sample of a file that didn't change is the same again.
const SEED: u32 = 42;

pub(super) fn row_count(session: &Session<'_>, table: &Table, facts: &Facts) -> Result<Option<RowCount>, ConnectError> {
    let counted = counted(session, &full_name(table, facts))?;
    Ok(Some(RowCount { value: counted, exactness: Exactness::Exact }))
}

fn counted(session: &Session<'_>, name: &str) -> Result<u64, ConnectError> {
    first_number(session, &format!("SELECT count(*) FROM {name}"), &[])
}

fn first_number(session: &Session<'_>, sql: &str, parameters: &[Option<String>]) -> Result<u64, ConnectError> {
    let mut found = 0;
    session.each_row(&session.prepare(sql)?, parameters, |cells| {
        if let Some(Cell::Integer(number)) = cells.first() {
            found = u64::try_from(*number).unwrap_or(0);
        }
        Next::Stop
    })?;
    Ok(found)
}

/// The ends of a column that the engine keeps the ends of: numbers and times of a table.
pub(super) fn key_range(
    session: &Session<'_>,
    table: &Table,
    facts: &Facts,
    column: &str,
) -> Result<Option<(Value, Value)>, ConnectError> {
    let has_ends = |class: TypeClass| class.is_numeric() || class.is_temporal();
    let known = table.columns.iter().find(|known| known.name == column);
    if table.kind != TableKind::Table || !known.is_some_and(|column| has_ends(column.type_class)) {
        return Ok(None);
    }
    let kind = kind_of(facts, column);
    let key = Dialect::Duckdb.quoted(column);
    let sql = format!("SELECT min({key}), max({key}) FROM {}", full_name(table, facts));
    let ends = session.all_rows(&sql, &[], |cells| {
        let mut cells = cells.into_iter().map(|cell| match kind {
            Kind::Number => kind.sampled_value(cell),
            _ => decode::value(cell, KEY_CHARS),
        });
        Some((cells.next()?, cells.next()?))
    })?;
    Ok(ends.into_iter().flatten().next().filter(|(first, last)| !first.is_null() && !last.is_null()))
}

/// Reads the one column.
pub(super) fn contains(
    session: &Session<'_>,
    table: &Table,
    facts: &Facts,
    column: &str,
    values: &[Value],
) -> Result<u64, ConnectError> {
    let Some(data_type) = facts.types.get(column).filter(|_| !values.is_empty()) else { return Ok(0) };
    let sql = format!(
        "SELECT count(*) FROM {} WHERE {} IN (SELECT here.{} FROM {} AS here)",
        wanted(values),
        key_cast(data_type),
        Dialect::Duckdb.quoted(column),
        full_name(table, facts),
    );
    first_number(session, &sql, &key_texts(values))
}

pub(super) fn sample(
    session: &Session<'_>,
    table: &Table,
    facts: &Facts,
    columns: &[String],
    request: &SampleRequest,
) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let named = |column: &String| format!("here.{}", Dialect::Duckdb.quoted(column));
    let kinds: Vec<Kind> = match request {
        SampleRequest::Lengths { .. } => vec![Kind::Bytes; 2 * columns.len()],
        _ => columns.iter().map(|column| kind_of(facts, column)).collect(),
    };
    let cut = columns.iter().zip(&kinds).map(|(column, kind)| kind.cut_to_size(&named(column), SAMPLE_CELL_CHARS));
    let cut = listed(cut.collect());
    let name = full_name(table, facts);
    let select = format!("SELECT {cut} FROM {name} AS here");
    let limits = Limits { rows: usize::MAX, bytes: SAMPLE_BYTES, cell_chars: usize::MAX, ..Limits::default() };
    let mut collector = RowCollector::new(&limits);
    let mut read = |sql: &str, parameters: &[Option<String>]| {
        let take = |cells: Vec<Cell<'_>>| {
            let cells = cells.into_iter().zip(&kinds).map(|(cell, kind)| kind.sampled_value(cell));
            collector.push(cells.collect())
        };
        session.each_row(&session.prepare(sql)?, parameters, take).map(drop)
    };
    match request {
        SampleRequest::FirstRows { rows } => read(&format!("{select} LIMIT {rows}"), &[])?,
        SampleRequest::Lengths { rows } => {
            let lengths: Vec<String> =
                columns.iter().map(|column| format!("strlen(CAST({} AS VARCHAR))", named(column))).collect();
            let told = |it: &str| [format!("CAST(round(avg({it})) AS BIGINT)"), format!("max({it})")];
            read(&lengths::of_rows(&lengths, &format!("FROM {name} AS here LIMIT {rows}"), told), &[])?;
        }
        SampleRequest::EngineSample { rows } => {
            let drawn = drawn_from(session, table, &name, columns, *rows)?;
            let sql =
                format!("SELECT {cut} FROM {drawn} AS here USING SAMPLE reservoir({rows} ROWS) REPEATABLE ({SEED})");
            read(&sql, &[])?;
        }
        SampleRequest::ByKey { column, keys } => {
            if let Some(data_type) = facts.types.get(column).filter(|_| !keys.is_empty()) {
                let key = format!("here.{}", Dialect::Duckdb.quoted(column));
                let sql = format!(
                    "SELECT {cut} FROM {} JOIN {name} AS here ON {key} = {} \
                     QUALIFY row_number() OVER (PARTITION BY wanted.place) <= {ROWS_PER_KEY} ORDER BY wanted.place",
                    wanted(keys),
                    key_cast(data_type),
                );
                read(&sql, &key_texts(keys))?;
            }
        }
        SampleRequest::FirstAndLast { each, order_by: Some(column) } => {
            let key = format!("here.{}", Dialect::Duckdb.quoted(column));
            read(&format!("{select} WHERE {key} IS NOT NULL ORDER BY {key} LIMIT {each}"), &[])?;
            read(&format!("{select} WHERE {key} IS NOT NULL ORDER BY {key} DESC LIMIT {each}"), &[])?;
        }
        // Rows keep the order in which they came, and whole groups of them are skipped.
        SampleRequest::FirstAndLast { each, order_by: None } if table.kind == TableKind::Table => {
            let each = *each as u64;
            let behind = counted(session, &name)?.saturating_sub(each).max(each);
            read(&format!("{select} LIMIT {each}"), &[])?;
            read(&format!("{select} LIMIT {each} OFFSET {behind}"), &[])?;
        }
        SampleRequest::FirstAndLast { each, order_by: None } => {
            read(&format!("{select} LIMIT {}", each.saturating_mul(2)), &[])?;
        }
    }
    Ok(collector.finish(columns.to_vec(), started.elapsed()))
}

/// What a sample is drawn from: the table, or where it is much larger than the sample, a random part of its vectors.
fn drawn_from(
    session: &Session<'_>,
    table: &Table,
    name: &str,
    columns: &[String],
    rows: usize,
) -> Result<String, ConnectError> {
    if table.kind != TableKind::Table {
        return Ok(name.to_owned());
    }
    let read = (VECTORS_READ * ROWS_OF_VECTOR).max(rows as u64 * 2);
    let count = counted(session, name)?;
    if count <= read * 2 {
        return Ok(name.to_owned());
    }
    let percent = read as f64 / count as f64 * 100.0;
    let columns = listed(columns.iter().map(|column| Dialect::Duckdb.quoted(column)).collect());
    Ok(format!("(SELECT {columns} FROM {name} TABLESAMPLE system({percent:.6} PERCENT) REPEATABLE ({SEED}))"))
}

fn listed(expressions: Vec<String>) -> String {
    if expressions.is_empty() { "NULL".to_owned() } else { expressions.join(", ") }
}

fn kind_of(facts: &Facts, column: &str) -> Kind {
    facts.types.get(column).map_or(Kind::Other, |data_type| Kind::of(data_type))
}

/// Keys as a relation `wanted` with their texts and places.
fn wanted(keys: &[Value]) -> String {
    let rows: Vec<String> = (1..=keys.len()).map(|place| format!("(${place}, {place})")).collect();
    format!("(VALUES {}) AS wanted (key, place)", rows.join(", "))
}

/// `wanted.key` as the column's type; NULL, which equals nothing, where it can't be one.
fn key_cast(data_type: &str) -> String {
    format!("TRY_CAST(CAST(wanted.key AS VARCHAR) AS {data_type})")
}

/// The bytes of [`Value::Bytes`] were never fetched, so nothing equals them.
fn key_texts(keys: &[Value]) -> Vec<Option<String>> {
    keys.iter().map(|key| if matches!(key, Value::Bytes(_)) { None } else { key.as_text() }).collect()
}

fn full_name(table: &Table, facts: &Facts) -> String {
    let schema = table.id.schema.as_deref().unwrap_or("main");
    format!(
        "{}.{}.{}",
        Dialect::Duckdb.quoted(&facts.database),
        Dialect::Duckdb.quoted(schema),
        Dialect::Duckdb.quoted(&table.id.name)
    )
}
