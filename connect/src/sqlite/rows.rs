//! The rows behind a profile: counted, found by key, and cut to size by SQLite itself.
//!
//! Invariant: no statement here reads a large table from end to end; each is bounded by a LIMIT or by an index.

use std::time::Instant;

use catalog::{Dialect, Exactness, RowCount, Table, TableKind};
use rusqlite::types::{ToSqlOutput, Value as Stored, ValueRef};
use rusqlite::{Row, ToSql};

use super::session::Session;
use crate::connector::{LookupColumn, ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest};
use crate::error::ConnectError;
use crate::lengths;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::value::Value;

/// Tables up to this many rows are counted.
const COUNTED_ROWS: u64 = 10_000;
/// How many random rowids are tried to estimate which share of them exists. The standard error of the estimate is then
/// 3 % where half of them do.
const DENSITY_PROBES: u64 = 1000;
/// With fewer hits than this the estimate would be off by more than a fifth.
const LEAST_HITS: u64 = 25;
/// A larger cell isn't read at all; only its length is.
const LARGEST_SAMPLED_CELL: usize = 1 << 20;
/// All cells of a sample together.
const SAMPLE_BYTES: usize = 64 << 20;

const LOOKUP_COLUMNS: &str = include_str!("introspection/lookup_columns.sql");

pub(super) fn row_count(session: &Session<'_>, table: &Table) -> Result<Option<RowCount>, ConnectError> {
    let name = Dialect::Sqlite.quoted(&table.id.name);
    let beyond = COUNTED_ROWS + 1;
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {beyond})");
    let counted: i64 = session.first_row(&sql, [], |row| row.get(0))?.unwrap_or(0);
    let counted = counted.unsigned_abs();
    if counted <= COUNTED_ROWS {
        return Ok(Some(RowCount { value: counted, exactness: Exactness::Exact }));
    }
    let estimate = match rowid(session, table)? {
        Some(rowid) => rowid_estimate(session, &name, rowid)?,
        None => None,
    };
    let estimate = match estimate {
        Some(estimate) => Some(estimate),
        None => statistics_estimate(session, table)?,
    };
    // Whatever the estimate says, more than `COUNTED_ROWS` have been seen.
    Ok(estimate.map(|value| RowCount { value: value.max(beyond), exactness: Exactness::Estimate }))
}

/// The span of the rowids times the share of random ones that exist.
fn rowid_estimate(session: &Session<'_>, table: &str, rowid: &str) -> Result<Option<u64>, ConnectError> {
    let sql = format!("SELECT (SELECT min({rowid}) FROM {table}), (SELECT max({rowid}) FROM {table})");
    let ends: Option<(Option<i64>, Option<i64>)> = session.first_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((Some(first), Some(last))) = ends else { return Ok(None) };
    let span = last.abs_diff(first).saturating_add(1);
    let mut statement = session.prepare(&format!("SELECT 1 FROM {table} WHERE {rowid} = ?1"))?;
    let mut hits = 0;
    for probe in 0..DENSITY_PROBES {
        // One random rowid out of each of equally wide steps: less noise than any of them from the whole.
        let offset = (u128::from(span) * u128::from(probe) + u128::from(scrambled(probe)) % u128::from(span))
            / u128::from(DENSITY_PROBES);
        let candidate = i128::from(first) + i128::try_from(offset).unwrap_or(0);
        let candidate = i64::try_from(candidate).unwrap_or(last);
        session.each_row(&mut statement, [candidate], |_| {
            hits += 1;
            Ok(Next::Stop)
        })?;
    }
    if hits < LEAST_HITS {
        return Ok(None);
    }
    let estimate = u128::from(span) * u128::from(hits) / u128::from(DENSITY_PROBES);
    Ok(u64::try_from(estimate).ok())
}

/// What `ANALYZE` left behind, where somebody ran it.
fn statistics_estimate(session: &Session<'_>, table: &Table) -> Result<Option<u64>, ConnectError> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'";
    if session.first_row(sql, [], |row| row.get::<_, i64>(0))?.unwrap_or(0) == 0 {
        return Ok(None);
    }
    let sql = "SELECT max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE tbl = ?1";
    let rows: Option<Option<i64>> = session.first_row(sql, [&table.id.name], |row| row.get(0))?;
    Ok(rows.flatten().and_then(|rows| u64::try_from(rows).ok()))
}

pub(super) fn lookup_columns(session: &Session<'_>, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
    let mut found = Vec::new();
    if let Some(rowid) = rowid(session, table)? {
        found.push(LookupColumn { name: rowid_for_people(session, table, rowid)?, unique: true });
    }
    if table.kind != TableKind::Table {
        return Ok(found);
    }
    let led = session.all_rows(LOOKUP_COLUMNS, [&table.id.name], |row| {
        Ok(LookupColumn { name: row.get(0)?, unique: row.get(1)? })
    })?;
    found.extend(led.into_iter().filter(|column| table.columns.iter().any(|known| known.name == column.name)));
    Ok(found)
}

/// A name by which the rowid can be reached; `None` for views, virtual tables, tables WITHOUT ROWID, and where columns
/// have taken all its names.
fn rowid(session: &Session<'_>, table: &Table) -> Result<Option<&'static str>, ConnectError> {
    if table.kind != TableKind::Table {
        return Ok(None);
    }
    let sql = "SELECT wr FROM pragma_table_list(?1) WHERE schema = 'main'";
    let without_rowid: Option<bool> = session.first_row(sql, [&table.id.name], |row| row.get(0))?;
    let free = |name: &&str| table.column(name).is_none();
    Ok(["rowid", "_rowid_", "oid"].into_iter().find(free).filter(|_| without_rowid == Some(false)))
}

/// The primary key's name where that is the rowid, else the rowid's own.
fn rowid_for_people(session: &Session<'_>, table: &Table, rowid: &str) -> Result<String, ConnectError> {
    let [key] = table.primary_key.as_slice() else { return Ok(rowid.to_owned()) };
    let is_integer = table.column(key).is_some_and(|column| column.data_type.eq_ignore_ascii_case("integer"));
    // `INTEGER PRIMARY KEY DESC` has an index of its own and is not the rowid.
    let sql = "SELECT count(*) FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'";
    let own_index = session.first_row(sql, [&table.id.name], |row| row.get::<_, i64>(0))? != Some(0);
    Ok(if is_integer && !own_index { key.clone() } else { rowid.to_owned() })
}

pub(super) fn key_range(
    session: &Session<'_>,
    table: &Table,
    column: &str,
) -> Result<Option<(Value, Value)>, ConnectError> {
    if !lookup_columns(session, table)?.iter().any(|known| known.name == column) {
        return Ok(None);
    }
    let (name, key) = (Dialect::Sqlite.quoted(&table.id.name), key_name(table, column));
    let sql = format!("SELECT (SELECT min({key}) FROM {name}), (SELECT max({key}) FROM {name})");
    let ends = session.first_row(&sql, [], |row| Ok((cell(row.get_ref(0)?, 200), cell(row.get_ref(1)?, 200))))?;
    Ok(ends.filter(|(first, last)| !first.is_null() && !last.is_null()))
}

pub(super) fn contains(
    session: &Session<'_>,
    table: &Table,
    column: &str,
    values: &[Value],
) -> Result<u64, ConnectError> {
    let sql = format!(
        "SELECT 1 FROM {} WHERE {} = ?1 LIMIT 1",
        Dialect::Sqlite.quoted(&table.id.name),
        key_name(table, column)
    );
    let mut statement = session.prepare(&sql)?;
    let mut found = 0;
    for value in values {
        session.each_row(&mut statement, [Bound(value)], |_| {
            found += 1;
            Ok(Next::Stop)
        })?;
    }
    Ok(found)
}

pub(super) fn sample(
    session: &Session<'_>,
    table: &Table,
    columns: &[String],
    request: &SampleRequest,
) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let name = Dialect::Sqlite.quoted(&table.id.name);
    let wanted: Vec<String> = columns.iter().map(|column| cut_to_size(&Dialect::Sqlite.quoted(column))).collect();
    let select =
        format!("SELECT {} FROM {name}", if wanted.is_empty() { "NULL".to_owned() } else { wanted.join(", ") });
    let limits = Limits { rows: usize::MAX, bytes: SAMPLE_BYTES, cell_chars: usize::MAX, ..Limits::default() };
    let width = if matches!(request, SampleRequest::Lengths { .. }) { 2 * columns.len() } else { columns.len() };
    let mut reader = SampleReader { session, width, collector: RowCollector::new(&limits), full: false };
    match request {
        SampleRequest::FirstRows { rows } | SampleRequest::EngineSample { rows } => {
            reader.read(&format!("{select} LIMIT {rows}"), None)?
        }
        SampleRequest::Lengths { rows } => {
            let lengths: Vec<String> =
                columns.iter().map(|column| format!("octet_length({})", Dialect::Sqlite.quoted(column))).collect();
            let told = |it: &str| [format!("CAST(round(avg({it})) AS INTEGER)"), format!("max({it})")];
            reader.read(&lengths::of_rows(&lengths, &format!("FROM {name} LIMIT {rows}"), told), None)?
        }
        SampleRequest::ByKey { column, keys } => {
            let sql = format!("{select} WHERE {} = ?1 LIMIT {ROWS_PER_KEY}", key_name(table, column));
            reader.read_keys(&sql, keys)?;
        }
        SampleRequest::FirstAndLast { each, order_by } => {
            let rowid = rowid(session, table)?.map(str::to_owned);
            let order = order_by.as_ref().map(|column| key_name(table, column)).or(rowid);
            match order {
                Some(key) => {
                    reader.read(&format!("{select} ORDER BY {key} LIMIT {each}"), None)?;
                    reader.read(&format!("{select} ORDER BY {key} DESC LIMIT {each}"), None)?;
                }
                // Without an order there is no last row that could be found without reading all.
                None => reader.read(&format!("{select} LIMIT {}", each.saturating_mul(2)), None)?,
            }
        }
    }
    Ok(reader.collector.finish(columns.to_vec(), started.elapsed()))
}

struct SampleReader<'a> {
    session: &'a Session<'a>,
    width: usize,
    collector: RowCollector,
    full: bool,
}

impl SampleReader<'_> {
    fn read(&mut self, sql: &str, key: Option<&Value>) -> Result<(), ConnectError> {
        let mut statement = self.session.prepare(sql)?;
        self.read_prepared(&mut statement, key)
    }

    fn read_keys(&mut self, sql: &str, keys: &[Value]) -> Result<(), ConnectError> {
        let mut statement = self.session.prepare(sql)?;
        keys.iter().try_for_each(|key| self.read_prepared(&mut statement, Some(key)))
    }

    fn read_prepared(
        &mut self,
        statement: &mut rusqlite::Statement<'_>,
        key: Option<&Value>,
    ) -> Result<(), ConnectError> {
        if self.full {
            return Ok(());
        }
        let (width, collector, full) = (self.width, &mut self.collector, &mut self.full);
        let parameters: Vec<Bound<'_>> = key.map(Bound).into_iter().collect();
        self.session.each_row(statement, rusqlite::params_from_iter(parameters), |row| {
            let next = collector.push(sampled_row(row, width)?);
            *full = next == Next::Stop;
            Ok(next)
        })
    }
}

fn sampled_row(row: &Row<'_>, width: usize) -> rusqlite::Result<Vec<Value>> {
    (0..width)
        .map(|position| {
            Ok(match row.get_ref(position)? {
                // See `cut_to_size`: the only bytes that come back are the digits of a length.
                ValueRef::Blob(digits) => {
                    Value::Bytes(std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0))
                }
                other => cell(other, usize::MAX),
            })
        })
        .collect()
}

/// An expression for a column that is never large: texts are cut, and of bytes and of very large texts only the length
/// leaves the database. SQLite computes `octet_length` without reading the content. A length is told from a value by
/// being bytes, which no value is any more.
fn cut_to_size(column: &str) -> String {
    format!(
        "CASE WHEN typeof({column}) = 'blob' OR octet_length({column}) > {LARGEST_SAMPLED_CELL} \
         THEN CAST(octet_length({column}) AS BLOB) \
         WHEN typeof({column}) = 'text' THEN substr({column}, 1, {SAMPLE_CELL_CHARS}) ELSE {column} END"
    )
}

/// A cell as a value; texts keep at least `chars` characters, if they have them, and never many more.
pub(super) fn cell(stored: ValueRef<'_>, chars: usize) -> Value {
    match stored {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(bytes) => {
            // A character has at most four bytes; one too many is kept, for the collector to see that it must cut.
            let end = chars.saturating_add(1).saturating_mul(4).min(bytes.len());
            Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
        }
        ValueRef::Blob(bytes) => Value::Bytes(bytes.len()),
    }
}

/// A lookup column in a statement: one that is no column of the table is the rowid by one of its names, which must not
/// be quoted, because SQLite would take an unknown name in quotes for a text.
fn key_name(table: &Table, column: &str) -> String {
    match table.column(column) {
        None if ["rowid", "_rowid_", "oid"].contains(&column) => column.to_owned(),
        _ => Dialect::Sqlite.quoted(column),
    }
}

/// The SplitMix64 finalizer (Steele, Lea, Flood 2014): numbers that look random and are the same in every run.
fn scrambled(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A value as a parameter.
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            // The bytes themselves were never fetched, so nothing equals them.
            Value::Null | Value::Bytes(_) => ToSqlOutput::Owned(Stored::Null),
            Value::Integer(value) => ToSqlOutput::Owned(Stored::Integer(*value)),
            Value::Real(value) => ToSqlOutput::Owned(Stored::Real(*value)),
            Value::Boolean(value) => ToSqlOutput::Owned(Stored::Integer(i64::from(*value))),
            Value::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
        })
    }
}
