//! The rows behind a profile: counted, drawn by the engine, and cut to size by the server itself.
//!
//! Rows of a table of the MergeTree family lie in parts, each sorted and cut into granules of (usually) 8,192 rows, and a
//! granule is the least that can be read. A sample reads some granules that are drawn at random, evenly over the whole
//! table, and keeps a random share of the rows of each. (`SAMPLE`, where a table has a sampling key, reads about as much,
//! and only the columns of that key's own order are spread evenly.) Invariant: a sample reads at most [`READ_FOR_ONE`]
//! rows for each row that is asked for, one granule at least; no statement here passes over more of a table than
//! [`MOST_ROWS`].

use std::time::Instant;

use catalog::{Dialect, Exactness, RowCount, Table, TableKind};

use super::decode::{ColumnType, Kind};
use super::failure::Trouble;
use super::introspect::Facts;
use super::session::Session;
use super::settings::Purpose;
use crate::connector::{SAMPLE_CELL_CHARS, SampleRequest};
use crate::error::ConnectError;
use crate::lengths;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::{COUNTED_ROWS, KEY_CHARS, SAMPLE_BYTES};
use crate::value::Value;

const PARTS: &str = include_str!("introspection/parts.sql");

/// Rows of a granule, unless a table is made otherwise or has very long rows.
const GRANULE: u64 = 8192;
/// Rows that may be read for one row of a sample.
const READ_FOR_ONE: u64 = 20;
/// Rows of one column that are skipped at most, where a look-up or a count needs it.
const MOST_ROWS: u64 = 10_000_000;
/// Values looked up in one statement.
const VALUES_AT_ONCE: usize = 500;

/// How many rows there are.
pub(super) async fn row_count(
    session: &Session,
    table: &Table,
    facts: &Facts,
) -> Result<Option<RowCount>, ConnectError> {
    if facts.is_stream {
        return Ok(None);
    }
    let estimated = table.row_count;
    let name = qualified(session, table);
    if matches!(table.kind, TableKind::Table) || estimated.is_some() {
        // The parts' own figures answer, unless some rows are deleted or hidden one by one.
        let most_rows = Some(MOST_ROWS);
        let purpose = Purpose::Own { few_rows: false, most_rows };
        match counted(session, &format!("SELECT count() FROM {name}"), purpose).await {
            Err(trouble) if trouble.is_too_many_rows() && estimated.is_some() => return Ok(estimated),
            Err(trouble) if trouble.is_too_many_rows() => {}
            Err(trouble) => return Err(session.explain(trouble)),
            Ok(value) => return Ok(Some(RowCount { value, exactness: Exactness::Exact })),
        }
    }
    let limit = COUNTED_ROWS + 1;
    let sql = format!("SELECT count() FROM (SELECT 1 FROM {name} LIMIT {limit})");
    let value = counted(session, &sql, Purpose::OWN).await.map_err(|trouble| session.explain(trouble))?;
    Ok((value < limit).then_some(RowCount { value, exactness: Exactness::Exact }))
}

async fn counted(session: &Session, sql: &str, purpose: Purpose) -> Result<u64, Trouble> {
    let rows = session.try_texts(sql, purpose, &[]).await?;
    Ok(first(rows).and_then(|count| count.parse().ok()).unwrap_or(0))
}

fn first(rows: Vec<Vec<Option<String>>>) -> Option<String> {
    rows.into_iter().next()?.into_iter().next()?
}

/// How many of `values` occur.
pub(super) async fn contains(
    session: &Session,
    table: &Table,
    facts: &Facts,
    column: &str,
    values: &[Value],
) -> Result<u64, ConnectError> {
    let Some(column_type) = facts.types.get(column).filter(|_| !facts.is_stream) else { return Ok(0) };
    let name = format!("here.{}", Dialect::Clickhouse.quoted(column));
    let (key, value) = match column_type.kind {
        // Bytes never left the database, so there are none to look for.
        Kind::State => return Ok(0),
        Kind::Text => (name, "given".to_owned()),
        Kind::Enum | Kind::FixedText | Kind::Nested | Kind::Interval => {
            (format!("toString({name})"), "given".to_owned())
        }
        // What can't be a value of the type becomes NULL, which is in no list.
        _ => (name, format!("accurateCastOrNull(given, {})", Dialect::Clickhouse.literal(&column_type.base))),
    };
    let literals: Vec<String> = values
        .iter()
        .filter(|value| !matches!(value, Value::Bytes(_)))
        .filter_map(|value| Some(Dialect::Clickhouse.literal(&value.as_text()?)))
        .collect();
    let mut found = 0;
    for some in literals.chunks(VALUES_AT_ONCE) {
        let sql = format!(
            "SELECT uniqExact({key}) FROM {} AS here WHERE {key} IN (SELECT {value} FROM (SELECT arrayJoin([{}]) AS given))",
            qualified(session, table),
            some.join(", ")
        );
        let purpose = Purpose::Own { few_rows: false, most_rows: Some(MOST_ROWS) };
        let rows = session.texts(&sql, purpose, &[]).await?;
        found += first(rows).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(found)
}

/// Rows of `columns`.
pub(super) async fn sample(
    session: &Session,
    table: &Table,
    facts: &Facts,
    columns: &[String],
    request: &SampleRequest,
) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let named = |column: &String| format!("here.{}", Dialect::Clickhouse.quoted(column));
    let type_of = |column: &String| facts.types.get(column).cloned().unwrap_or_else(|| ColumnType::of(""));
    let types: Vec<ColumnType> = match request {
        SampleRequest::Lengths { .. } => vec![ColumnType::of("UInt64"); 2 * columns.len()],
        _ => columns.iter().map(type_of).collect(),
    };
    let wanted: Vec<String> =
        columns.iter().zip(&types).map(|(column, kind)| kind.cut_to_size(&named(column), SAMPLE_CELL_CHARS)).collect();
    let wanted = if wanted.is_empty() { "NULL".to_owned() } else { wanted.join(", ") };
    let limits = Limits { rows: usize::MAX, bytes: SAMPLE_BYTES, cell_chars: usize::MAX, ..Limits::default() };
    let mut collector = RowCollector::new(&limits);
    let take = |sent: &[ColumnType], cells: Vec<String>| {
        let cells = cells.into_iter().zip(sent).zip(&types);
        collector.push(cells.map(|((cell, sent), kind)| kind.sampled_value(sent, cell)).collect())
    };
    let name = qualified(session, table);
    match request {
        // Nothing leads to a key; no column is named by `lookup_columns`.
        SampleRequest::ByKey { .. } => {}
        _ if facts.is_stream => {}
        SampleRequest::EngineSample { rows } if facts.has_parts => {
            drawn(session, table, &wanted, *rows, take).await?;
        }
        SampleRequest::Lengths { rows } => {
            let lengths: Vec<String> =
                columns.iter().map(|column| format!("length(toString({}))", named(column))).collect();
            // The mean of none is no number here.
            let told =
                |it: &str| [format!("intDiv(sum({it}), greatest(count({it}), 1))"), format!("toUInt64(max({it}))")];
            let sql = lengths::of_rows(&lengths, &format!("FROM {name} AS here LIMIT {rows}"), told);
            let purpose = Purpose::Own { few_rows: false, most_rows: None };
            session.each_row(&sql, purpose, take).await.map(drop)?;
        }
        SampleRequest::FirstRows { rows } | SampleRequest::EngineSample { rows } => {
            first_rows(session, table, &name, &wanted, *rows, take).await?;
        }
        SampleRequest::FirstAndLast { each, .. } if facts.has_parts => {
            let take = &mut { take };
            first_rows(session, table, &name, &wanted, *each, &mut *take).await?;
            last_rows(session, table, &name, &wanted, *each, &mut *take).await?;
        }
        // Without an order there is no last row that could be found without reading all.
        SampleRequest::FirstAndLast { each, .. } => {
            first_rows(session, table, &name, &wanted, each.saturating_mul(2), take).await?;
        }
    }
    Ok(collector.finish(columns.to_vec(), started.elapsed()))
}

async fn first_rows(
    session: &Session,
    table: &Table,
    name: &str,
    wanted: &str,
    rows: usize,
    take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
) -> Result<(), ConnectError> {
    // Small blocks end soon; a view may have to go through everything first, and then be quick about it.
    let purpose = Purpose::Own { few_rows: table.kind == TableKind::Table, most_rows: None };
    session.each_row(&format!("SELECT {wanted} FROM {name} AS here LIMIT {rows}"), purpose, take).await.map(drop)
}

/// The last rows of the part that was written to last. They need not be the last by the sorting key, nor all be of the
/// last INSERT, which a merge may have put among older rows; but where rows come in the order of time, they are the newest.
async fn last_rows(
    session: &Session,
    table: &Table,
    name: &str,
    wanted: &str,
    each: usize,
    take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
) -> Result<(), ConnectError> {
    let parts = parts(session, table).await?;
    let Some(part) = parts.iter().max_by_key(|part| part.last_block) else { return Ok(()) };
    let each = u64::try_from(each).unwrap_or(u64::MAX);
    // Of a single part the first rows have been seen.
    let seen = if parts.len() == 1 { each } else { 0 };
    let from = part.rows.saturating_sub(each).max(seen);
    let literal = Dialect::Clickhouse.literal(&part.name);
    let sql =
        format!("SELECT {wanted} FROM {name} AS here WHERE _part = {literal} AND _part_offset >= {from} LIMIT {each}");
    let purpose = Purpose::Own { few_rows: true, most_rows: Some(each.saturating_add(4 * GRANULE)) };
    match session.try_each_row(&sql, purpose, &[], take).await {
        // Servers that don't find rows by their place would read everything.
        Err(trouble) if trouble.is_too_many_rows() => Ok(()),
        read => read.map(drop).map_err(|trouble| session.explain(trouble)),
    }
}

/// A part of a table.
struct Part {
    name: String,
    rows: u64,
    /// The number of the last INSERT in it.
    last_block: u64,
}

async fn parts(session: &Session, table: &Table) -> Result<Vec<Part>, ConnectError> {
    let parameters = [("database", session.database()), ("table", table.id.name.as_str())];
    let rows = session.texts(PARTS, Purpose::OWN, &parameters).await?;
    let part = |row: Vec<Option<String>>| {
        let [name, rows, last_block] = <[_; 3]>::try_from(row).ok()?;
        Some(Part { name: name?, rows: rows?.parse().ok()?, last_block: last_block?.parse().ok()? })
    };
    Ok(rows.into_iter().filter_map(part).collect())
}

/// The smallest and the largest value of a column, where an index of the engine's has them: that of the parts for the
/// columns of a partition key, that of the sorting key for its first one.
pub(super) async fn key_range(
    session: &Session,
    table: &Table,
    facts: &Facts,
    column: &str,
) -> Result<Option<(Value, Value)>, ConnectError> {
    let Some(column_type) = facts.types.get(column).filter(|_| facts.has_parts) else { return Ok(None) };
    if matches!(column_type.kind, Kind::State | Kind::Nested) {
        return Ok(None);
    }
    let sql = format!(
        "SELECT {}, {}, number FROM (SELECT min(here.{column}) AS first, max(here.{column}) AS last, count() AS number \
         FROM {table} AS here)",
        column_type.cut_to_size("first", KEY_CHARS),
        column_type.cut_to_size("last", KEY_CHARS),
        column = Dialect::Clickhouse.quoted(column),
        table = qualified(session, table),
    );
    let purpose = Purpose::Own { few_rows: false, most_rows: Some(8 * GRANULE) };
    let mut range = None;
    let take = |sent: &[ColumnType], cells: Vec<String>| {
        let ends = cells.into_iter().zip(sent).map(|(cell, sent)| column_type.sampled_value(sent, cell));
        range = <[Value; 3]>::try_from(ends.collect::<Vec<Value>>()).ok();
        Next::Continue
    };
    match session.try_each_row(&sql, purpose, &[], take).await {
        Err(trouble) if trouble.is_too_many_rows() => return Ok(None),
        read => read.map_err(|trouble| session.explain(trouble))?,
    };
    Ok(match range {
        Some([first, last, count]) if count != Value::Integer(0) && !first.is_null() => Some((first, last)),
        _ => None,
    })
}

/// A stretch of a part's rows: from the first to before the last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Window {
    part: String,
    from: u64,
    to: u64,
}

/// About `rows` random rows, out of random granules.
async fn drawn(
    session: &Session,
    table: &Table,
    wanted: &str,
    rows: usize,
    mut take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
) -> Result<(), ConnectError> {
    let parts: Vec<(String, u64)> =
        parts(session, table).await?.into_iter().map(|part| (part.name, part.rows)).collect();
    let name = qualified(session, table);
    // The same rows each time, as long as the parts are the same.
    let seed = table.id.to_string().bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let most = u64::try_from(rows).unwrap_or(u64::MAX).saturating_mul(READ_FOR_ONE);
    let windows = windows(&parts, most, &mut fastrand::Rng::with_seed(seed));
    let read: u64 = windows.iter().map(|window| window.to - window.from).sum();
    // A little less than asked for, so that chance seldom gives more, which would be cut off at the end.
    let share = (rows as f64 * 0.97 / read.max(1) as f64).min(1.0);
    let selects: Vec<String> = windows
        .chunk_by(|one, next| one.part == next.part)
        .map(|windows| {
            let stretch =
                |window: &Window| format!("(_part_offset >= {} AND _part_offset < {})", window.from, window.to);
            let stretches = windows.iter().map(stretch).collect::<Vec<_>>().join(" OR ");
            let part = Dialect::Clickhouse.literal(&windows[0].part);
            let kept = match share < 1.0 {
                true => format!(" AND cityHash64(_part, _part_offset, {seed}) % 1000000 < {:.0}", share * 1e6),
                false => String::new(),
            };
            format!("SELECT {wanted} FROM {name} AS here WHERE _part = {part} AND ({stretches}){kept}")
        })
        .collect();
    if selects.is_empty() {
        return Ok(());
    }
    let sql = format!("SELECT * FROM ({}) LIMIT {rows}", selects.join(" UNION ALL "));
    // Granules of another size make it some more; servers that don't find rows by their place would read everything.
    let purpose = Purpose::Own { few_rows: false, most_rows: Some(read.saturating_mul(4).max(4 * GRANULE)) };
    match session.try_each_row(&sql, purpose, &[], &mut take).await {
        Err(trouble) if trouble.is_too_many_rows() => first_rows(session, table, &name, wanted, rows, take).await,
        read => read.map(drop).map_err(|trouble| session.explain(trouble)),
    }
}

/// Granules with about `most` rows together, one at least, in the order of the parts: one at a random place of each of as
/// many stretches of the table as there are to be granules.
fn windows(parts: &[(String, u64)], most: u64, random: &mut fastrand::Rng) -> Vec<Window> {
    let granules = |rows: u64| rows.div_ceil(GRANULE);
    let all: u64 = parts.iter().map(|(_, rows)| granules(*rows)).sum();
    let number = (most / GRANULE).clamp(1, all.max(1)).min(all);
    let mut chosen = (0..number).map(|place| {
        let bound = |place: u64| u64::try_from(u128::from(all) * u128::from(place) / u128::from(number)).unwrap_or(all);
        random.u64(bound(place)..bound(place + 1))
    });
    let mut windows = Vec::new();
    let mut next = chosen.next();
    let mut before = 0;
    for (part, rows) in parts {
        while let Some(granule) = next.filter(|granule| *granule < before + granules(*rows)) {
            let from = (granule - before) * GRANULE;
            windows.push(Window { part: part.clone(), from, to: (from + GRANULE).min(*rows) });
            next = chosen.next();
        }
        before += granules(*rows);
    }
    windows
}

/// The table's name with its database's.
fn qualified(session: &Session, table: &Table) -> String {
    format!("{}.{}", Dialect::Clickhouse.quoted(session.database()), Dialect::Clickhouse.quoted(&table.id.name))
}

#[cfg(test)]
mod tests {
    use super::{GRANULE, windows};

    #[test]
    fn draws_granules_evenly_and_no_more_than_it_may() {
        let parts: Vec<(String, u64)> = [100, 1_000_000, 8192, 3_000_001].map(|rows| (format!("p{rows}"), rows)).into();
        for (most, expected) in [(0, 1), (GRANULE, 1), (200_000, 24), (u64::MAX, 1 + 123 + 1 + 367)] {
            let found = windows(&parts, most, &mut fastrand::Rng::with_seed(7));
            assert_eq!(found.len(), expected, "{most}");
            for window in &found {
                let (_, rows) = parts.iter().find(|(part, _)| *part == window.part).unwrap();
                assert!(window.from % GRANULE == 0 && window.from < window.to && window.to <= *rows, "{window:?}");
                assert!(window.to - window.from <= GRANULE);
            }
            let mut different = found.clone();
            different.dedup();
            assert_eq!(different.len(), found.len());
        }
        // Every granule has its chance.
        let mut last_of_all = 0;
        for seed in 0..2000 {
            let found = windows(&parts, 200_000, &mut fastrand::Rng::with_seed(seed));
            last_of_all += usize::from(found.iter().any(|window| window.to == 3_000_001));
        }
        assert!((50..200).contains(&last_of_all), "{last_of_all} of 2000, where 24 of 492 are drawn");
        assert!(windows(&[], 100, &mut fastrand::Rng::with_seed(1)).is_empty());
    }
}
