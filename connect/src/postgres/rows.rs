//! The rows behind a profile: counted, found by key, and cut to size by PostgreSQL itself.
//!
//! Every cell comes as text, so that one way of reading does for all types. Invariant: no statement here reads a large
//! table from end to end; each is bounded by a LIMIT, by an index, or by a range of pages.

use std::time::Instant;

use catalog::{Dialect, Exactness, RowCount, Table, TableKind};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::decode::{Kind, Lossy};
use super::failure::Trouble;
use super::introspect::{BaseType, Facts};
use super::session::Session;
use crate::connector::{ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest};
use crate::error::ConnectError;
use crate::lengths;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::{COUNTED_ROWS, KEY_CHARS, SAMPLE_BYTES};
use crate::value::Value;

const ROW_COUNT: &str = include_str!("introspection/row_count.sql");
const PAGES: &str = include_str!("introspection/pages.sql");

pub(super) async fn row_count(
    session: &Session,
    table: &Table,
    facts: &Facts,
) -> Result<Option<RowCount>, ConnectError> {
    let name = full_name(table);
    let most = i64::try_from(COUNTED_ROWS).unwrap_or(i64::MAX);
    let sql = ROW_COUNT.replace("{table}", &name);
    let read = |row: &Row| Ok((row.try_get::<_, Option<i64>>(0)?, row.try_get::<_, Option<i64>>(1)?));
    let counted = session.first_row(&sql, &[(&facts.oid, Type::OID), (&most, Type::INT8)], read).await?;
    let (counted, estimate) = counted.unwrap_or_default();
    let counted = counted.and_then(|rows| u64::try_from(rows).ok());
    if let Some(value) = counted.filter(|rows| *rows <= COUNTED_ROWS) {
        return Ok(Some(RowCount { value, exactness: Exactness::Exact }));
    }
    let estimate = match estimate.and_then(|rows| u64::try_from(rows).ok()) {
        Some(rows) => Some(rows),
        None => planned_rows(session, &name).await?,
    };
    // Whatever the estimate says, so many rows have been seen.
    let seen = counted.unwrap_or(0);
    Ok(estimate.map(|rows| RowCount { value: rows.max(seen), exactness: Exactness::Estimate }))
}

/// How many rows the planner expects: from the size of the table, where nothing was ever analysed.
async fn planned_rows(session: &Session, table: &str) -> Result<Option<u64>, ConnectError> {
    let sql = format!("EXPLAIN (FORMAT JSON) SELECT FROM {table}");
    let mut plan = None;
    let take = |row: &Row| {
        plan = row.try_get::<_, Plan>(0).ok();
        Ok(Next::Continue)
    };
    session.each_row(&sql, &[], take).await?;
    Ok(plan.and_then(|Plan(plan)| plan.get(0)?.get("Plan")?.get("Plan Rows")?.as_u64()))
}

/// What EXPLAIN answers.
struct Plan(serde_json::Value);

impl<'a> tokio_postgres::types::FromSql<'a> for Plan {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(serde_json::from_slice(raw)?))
    }

    tokio_postgres::types::accepts!(JSON);
}

pub(super) async fn key_range(
    session: &Session,
    table: &Table,
    facts: &Facts,
    column: &str,
) -> Result<Option<(Value, Value)>, ConnectError> {
    let Some(base) = facts.types.get(column) else { return Ok(None) };
    if !facts.lookup_columns.iter().any(|known| known.name == column) {
        return Ok(None);
    }
    let (name, key) = (full_name(table), Dialect::Postgres.quoted(column));
    let cut = base.kind.cut_to_size("key", KEY_CHARS);
    // Not every type that has an order has min and max.
    let end = |order| {
        format!("(SELECT {cut} FROM (SELECT {key} AS key FROM {name} WHERE {key} IS NOT NULL {order} LIMIT 1) AS ends)")
    };
    let (first, last) = (end(format!("ORDER BY {key}")), end(format!("ORDER BY {key} DESC")));
    let read = |row: &Row| {
        let value = |place| {
            row.try_get::<_, Option<Lossy>>(place).map(|text| text.map(|Lossy(text)| base.kind.sampled_value(&text)))
        };
        Ok(value(0)?.zip(value(1)?))
    };
    Ok(session.first_row(&format!("SELECT {first}, {last}"), &[], read).await?.flatten())
}

/// How many of `values` occur; the trouble tells whether one of them is no value of the column's type.
pub(super) async fn contains(
    session: &Session,
    table: &Table,
    facts: &Facts,
    column: &str,
    values: &[Value],
) -> Result<u64, Trouble> {
    let Some(base) = facts.types.get(column) else { return Ok(0) };
    let keys = key_texts(base, values);
    if keys.iter().all(Option::is_none) {
        return Ok(0);
    }
    let sql = format!(
        "SELECT count(*) FROM unnest($1) AS wanted (key) WHERE EXISTS (SELECT FROM {} AS here WHERE here.{} = {})",
        full_name(table),
        Dialect::Postgres.quoted(column),
        key_cast(base)
    );
    let mut found = 0;
    let take = |row: &Row| {
        found = u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0);
        Ok(Next::Continue)
    };
    session.try_each_row(&sql, &[(&keys, Type::TEXT_ARRAY)], take).await?;
    Ok(found)
}

pub(super) async fn sample(
    session: &Session,
    table: &Table,
    facts: &Facts,
    columns: &[String],
    request: &SampleRequest,
) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let kind_of = |column: &String| facts.types.get(column).map_or(Kind::Text, |base| base.kind);
    let kinds: Vec<Kind> = match request {
        SampleRequest::Lengths { .. } => vec![Kind::Bytes; 2 * columns.len()],
        _ => columns.iter().map(kind_of).collect(),
    };
    let wanted: Vec<String> = columns
        .iter()
        .zip(&kinds)
        .map(|(column, kind)| {
            kind.cut_to_size(&format!("here.{}", Dialect::Postgres.quoted(column)), SAMPLE_CELL_CHARS)
        })
        .collect();
    let select = format!("SELECT {} FROM {} AS here", wanted.join(", "), full_name(table));
    let limits = Limits { rows: usize::MAX, bytes: SAMPLE_BYTES, cell_chars: usize::MAX, ..Limits::default() };
    let mut collector = RowCollector::new(&limits);
    let take = |row: &Row| {
        let cells: Result<Vec<Value>, tokio_postgres::Error> = kinds
            .iter()
            .enumerate()
            .map(|(place, kind)| {
                let text: Option<Lossy> = row.try_get(place)?;
                Ok(text.map_or(Value::Null, |Lossy(text)| kind.sampled_value(&text)))
            })
            .collect();
        Ok(collector.push(cells?))
    };
    match request {
        SampleRequest::FirstRows { rows } => {
            session.each_row(&format!("{select} LIMIT {rows}"), &[], take).await?;
        }
        SampleRequest::Lengths { rows } => {
            let drawn = match table.kind {
                TableKind::Table | TableKind::MaterializedView => tablesample(table, *rows),
                _ => String::new(),
            };
            let from = format!("FROM {}{drawn} LIMIT {rows}", full_name(table));
            session.each_row(&lengths(facts, columns, &from), &[], take).await?;
        }
        SampleRequest::EngineSample { rows } => {
            let sql = format!("{select}{} LIMIT {rows}", tablesample(table, *rows));
            session.each_row(&sql, &[], take).await?;
        }
        SampleRequest::ByKey { column, keys } => {
            if let Some(base) = facts.types.get(column) {
                let keys = key_texts(base, keys);
                let names: Vec<String> = (0..columns.len()).map(|place| format!("c{place}")).collect();
                // Each key is looked up by itself, in an order that stays.
                let sql = format!(
                    "SELECT {} FROM unnest($1) WITH ORDINALITY AS wanted (key, place) \
                     CROSS JOIN LATERAL ({select} WHERE here.{} = {} LIMIT {ROWS_PER_KEY}) AS found{} \
                     ORDER BY wanted.place",
                    names.iter().map(|name| format!("found.{name}")).collect::<Vec<_>>().join(", "),
                    Dialect::Postgres.quoted(column),
                    key_cast(base),
                    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) },
                );
                session.each_row(&sql, &[(&keys, Type::TEXT_ARRAY)], take).await?;
            }
        }
        SampleRequest::FirstAndLast { each, order_by } => {
            let sql = match order_by {
                // The end of the index where the NULLs are is skipped.
                Some(column) => {
                    let key = format!("here.{}", Dialect::Postgres.quoted(column));
                    let not_null = format!("WHERE {key} IS NOT NULL");
                    format!(
                        "({select} {not_null} ORDER BY {key} LIMIT {each}) \
                         UNION ALL ({select} {not_null} ORDER BY {key} DESC LIMIT {each})"
                    )
                }
                None => match first_page_of_end(session, facts, *each).await? {
                    // Backwards: the pages may hold more rows than asked for, and the newest must not be cut off.
                    Some(page) => format!(
                        "({select} LIMIT {each}) UNION ALL \
                         ({select} WHERE here.ctid >= '({page},0)'::tid ORDER BY here.ctid DESC LIMIT {each})"
                    ),
                    None => format!("{select} LIMIT {}", each.saturating_mul(2)),
                },
            };
            session.each_row(&sql, &[], take).await?;
        }
    }
    Ok(collector.finish(columns.to_vec(), started.elapsed()))
}

/// The statement that tells how long texts are in the rows that `from` gives. The length of some types stands in the head of a value,
/// which is not fetched for it; of others so does the space that it takes, and those that take most are fetched, and a few for
/// their mean.
fn lengths(facts: &Facts, columns: &[String], from: &str) -> String {
    const FETCHED: usize = 20;
    const FETCHED_FOR_MEAN: usize = 200;
    let has_length = |column: &&String| {
        let base = facts.types.get(*column);
        base.is_some_and(|base| ["text", "varchar", "bytea"].contains(&base.name.as_str()))
    };
    let (told, fetched): (Vec<&String>, Vec<&String>) = columns.iter().partition(has_length);
    let measured: Vec<String> =
        told.iter().map(|column| format!("octet_length({})", Dialect::Postgres.quoted(column))).collect();
    let figures = |it: &str| [format!("round(avg({it}))::text"), format!("max({it})::text")];
    let place = |column: &String| told.iter().position(|known| *known == column);
    let of_fetched = |column: &String| {
        let name = Dialect::Postgres.quoted(column);
        let some = format!("SELECT {name} AS it {from}");
        [
            format!(
                "(SELECT round(avg(octet_length(it::text)))::text FROM (SELECT it FROM ({some}) AS here LIMIT {FETCHED_FOR_MEAN}) AS few)"
            ),
            format!(
                "(SELECT max(octet_length(it::text))::text \
                 FROM (SELECT it FROM ({some}) AS here ORDER BY pg_column_size(it) DESC NULLS LAST LIMIT {FETCHED}) AS largest)"
            ),
        ]
    };
    let all: Vec<[String; 2]> = columns
        .iter()
        .map(|column| match place(column) {
            Some(place) => [format!("told.m{place}"), format!("told.l{place}")],
            None => of_fetched(column),
        })
        .collect();
    let wanted: Vec<&str> =
        all.iter().map(|[mean, _]| mean.as_str()).chain(all.iter().map(|[_, longest]| longest.as_str())).collect();
    let wanted = wanted.join(", ");
    if fetched.len() == columns.len() {
        return format!("SELECT {wanted}");
    }
    let places = 0..told.len();
    let names: Vec<String> =
        places.clone().map(|place| format!("m{place}")).chain(places.map(|place| format!("l{place}"))).collect();
    format!("SELECT {wanted} FROM ({}) AS told ({})", lengths::of_rows(&measured, from, figures), names.join(", "))
}

/// That about `rows` rows of a table are drawn, and rarely more. Whole pages are drawn, each with the same chance; a little
/// less than would do, because what a LIMIT cuts off is always at the end. The same pages every time.
fn tablesample(table: &Table, rows: usize) -> String {
    let all = table.row_count.map_or(0, |count| count.value).max(1);
    let percent = (90.0 * rows as f64 / all as f64).clamp(1e-6, 100.0);
    format!(" TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)")
}

/// The page from which on there are about `rows` rows; `None` where pages don't help: in views, in tables of parts, in
/// small tables, and where the density was never measured.
async fn first_page_of_end(session: &Session, facts: &Facts, rows: usize) -> Result<Option<i64>, ConnectError> {
    let read = |row: &Row| Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, f64>(1)?, row.try_get::<_, bool>(2)?));
    let pages = session.first_row(PAGES, &[(&facts.oid, Type::OID)], read).await?;
    let Some((pages, rows_per_page, by_range)) = pages else { return Ok(None) };
    if !by_range || rows_per_page < 1.0 {
        return Ok(None);
    }
    let wanted = (rows as f64 / rows_per_page).ceil() as i64;
    Ok(Some(pages - wanted).filter(|page| *page > wanted))
}

/// Keys as texts that the engine turns into values of the column's type. What can't be one is left out: NULL equals
/// nothing.
fn key_texts(base: &BaseType, keys: &[Value]) -> Vec<Option<String>> {
    let fits = |text: &String| match base.kind {
        Kind::Integer => text.parse::<i64>().is_ok_and(|number| base.name != "oid" || u32::try_from(number).is_ok()),
        Kind::Real | Kind::Numeric => text.parse::<f64>().is_ok(),
        _ => !text.contains('\0'),
    };
    keys.iter()
        .map(|key| match key {
            Value::Null | Value::Bytes(_) => None,
            other => other.as_text().filter(fits),
        })
        .collect()
}

/// `wanted.key` as the column's type. Whole numbers are compared as the widest of them, which any index allows.
fn key_cast(base: &BaseType) -> String {
    match (base.kind, base.name.as_str()) {
        (Kind::Integer, "int2" | "int4") => "wanted.key::pg_catalog.int8".to_owned(),
        _ => format!("wanted.key::{}.{}", Dialect::Postgres.quoted(&base.schema), Dialect::Postgres.quoted(&base.name)),
    }
}

fn full_name(table: &Table) -> String {
    match &table.id.schema {
        Some(schema) => format!("{}.{}", Dialect::Postgres.quoted(schema), Dialect::Postgres.quoted(&table.id.name)),
        None => Dialect::Postgres.quoted(&table.id.name),
    }
}
