//! The rows behind a profile: counted, found by key, and cut to size by the server itself.
//!
//! Invariant: no statement here reads a large table from end to end; each is bounded by a LIMIT or by an index, and
//! where an index is what bounds it, the optimizer is not left a choice.

use std::time::Instant;

use catalog::{Dialect, Exactness, RowCount, Table, TableKind};
use mysql_async::{Row, Value as Cell};

use super::decode::{Kind, number, value};
use super::facts::{BaseType, Facts};
use super::session::Session;
use crate::connector::{ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest};
use crate::error::ConnectError;
use crate::lengths;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::{COUNTED_ROWS, KEY_CHARS, SAMPLE_BYTES};
use crate::value::Value;

/// Keys looked up in one statement. Each is a table of its own to the server, and it keeps a few thousand open.
const KEYS_AT_ONCE: usize = 100;

const ROW_ESTIMATE: &str = include_str!("introspection/row_estimate.sql");

pub(super) async fn row_count(session: &mut Session, table: &Table) -> Result<Option<RowCount>, ConnectError> {
    let estimate = match table.kind {
        TableKind::Table => {
            let parameters = vec![table.id.name.as_str().into(), session.database().into()];
            let row = session.first_row(ROW_ESTIMATE, parameters).await?;
            row.and_then(|row| number(&row, 0)).and_then(|rows| u64::try_from(rows).ok())
        }
        _ => None,
    };
    let estimated = |value| Some(RowCount { value, exactness: Exactness::Estimate });
    let limit = match estimate {
        // An estimate is rarely off by so much, and a table that can't be read must be found out.
        Some(rows) if rows > 2 * COUNTED_ROWS => 1,
        _ => COUNTED_ROWS + 1,
    };
    let sql = format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM {} LIMIT {limit}) AS first_rows",
        Dialect::Mysql.quoted(&table.id.name)
    );
    let row = session.first_row(&sql, Vec::new()).await?;
    let counted = row.and_then(|row| number(&row, 0)).and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0);
    Ok(match estimate {
        _ if counted < limit => Some(RowCount { value: counted, exactness: Exactness::Exact }),
        // Whatever the estimate says, so many rows have been seen.
        Some(rows) => estimated(rows.max(counted)),
        None => None,
    })
}

pub(super) async fn key_range(
    session: &mut Session,
    table: &Table,
    facts: &Facts,
    column: &str,
) -> Result<Option<(Value, Value)>, ConnectError> {
    let (Some(base), Some(_)) = (facts.types.get(column), facts.lookup_indexes.get(column)) else { return Ok(None) };
    let key = Dialect::Mysql.quoted(column);
    let cut = base.kind.cut_to_size(&key, KEY_CHARS);
    let from = from(table, facts, Some(column));
    // The smallest of an ENUM is the first by number, which is not what MIN gives.
    let end = |order| format!("(SELECT {cut} {from} WHERE here.{key} IS NOT NULL ORDER BY here.{key}{order} LIMIT 1)");
    let (first, last) = (end(""), end(" DESC"));
    let Some(row) = session.first_row(&format!("SELECT {first}, {last}"), Vec::new()).await? else { return Ok(None) };
    let ends: Vec<Value> = sampled(row, [base.kind; 2]).collect();
    Ok(match <[Value; 2]>::try_from(ends) {
        Ok([first, last]) if !first.is_null() && !last.is_null() => Some((first, last)),
        _ => None,
    })
}

/// How many of `values` occur.
pub(super) async fn contains(
    session: &mut Session,
    table: &Table,
    facts: &Facts,
    column: &str,
    values: &[Value],
) -> Result<u64, ConnectError> {
    let Some(base) = facts.types.get(column) else { return Ok(0) };
    let keys = keys(base, values);
    let from = from(table, facts, Some(column));
    let exists =
        format!("EXISTS (SELECT 1 {from} WHERE here.{} = {})", Dialect::Mysql.quoted(column), placeholder(base));
    let mut found = 0;
    for keys in keys.chunks(KEYS_AT_ONCE) {
        let sql = format!("SELECT {}", vec![exists.as_str(); keys.len()].join(" + "));
        let row = session.first_row(&sql, keys.to_vec()).await?;
        found += row.and_then(|row| number(&row, 0)).and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0);
    }
    Ok(found)
}

pub(super) async fn sample(
    session: &mut Session,
    table: &Table,
    facts: &Facts,
    columns: &[String],
    request: &SampleRequest,
) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let kind_of = |column: &String| facts.types.get(column).map_or(Kind::Other, |base| base.kind);
    let kinds: Vec<Kind> = match request {
        SampleRequest::Lengths { .. } => vec![Kind::Bytes; 2 * columns.len()],
        _ => columns.iter().map(kind_of).collect(),
    };
    let mut wanted: Vec<String> = columns
        .iter()
        .zip(&kinds)
        .map(|(column, kind)| kind.cut_to_size(&format!("here.{}", Dialect::Mysql.quoted(column)), SAMPLE_CELL_CHARS))
        .collect();
    if wanted.is_empty() {
        wanted.push("NULL".to_owned());
    }
    let wanted = wanted.join(", ");
    let limits = Limits { rows: usize::MAX, bytes: SAMPLE_BYTES, cell_chars: usize::MAX, ..Limits::default() };
    let mut collector = RowCollector::new(&limits);
    let mut full = false;
    let mut take = |row: Row| {
        let next = collector.push(sampled(row, kinds.iter().copied()).collect());
        full = next == Next::Stop;
        next
    };
    match request {
        SampleRequest::FirstRows { rows } | SampleRequest::EngineSample { rows } => {
            let sql = format!("SELECT {wanted} {} LIMIT {rows}", from(table, facts, None));
            session.each_row(&sql, Vec::new(), take).await?;
        }
        SampleRequest::Lengths { rows } => {
            let lengths: Vec<String> =
                columns.iter().map(|column| format!("LENGTH(here.{})", Dialect::Mysql.quoted(column))).collect();
            let from = format!("{} LIMIT {rows}", from(table, facts, None));
            let told = |it: &str| [format!("CAST(ROUND(AVG({it})) AS SIGNED)"), format!("MAX({it})")];
            session.each_row(&lengths::of_rows(&lengths, &from, told), Vec::new(), take).await?;
        }
        SampleRequest::ByKey { column, keys: values } => {
            if let Some(base) = facts.types.get(column) {
                let from = from(table, facts, Some(column));
                let one = format!(
                    "(SELECT {wanted} {from} WHERE here.{} = {} LIMIT {ROWS_PER_KEY})",
                    Dialect::Mysql.quoted(column),
                    placeholder(base)
                );
                for keys in keys(base, values).chunks(KEYS_AT_ONCE) {
                    // The parts of UNION ALL come one after the other, in the order of the keys.
                    let sql = vec![one.as_str(); keys.len()].join(" UNION ALL ");
                    session.each_row(&sql, keys.to_vec(), &mut take).await?;
                }
            }
        }
        SampleRequest::FirstAndLast { each, order_by } => {
            for sql in ends(table, facts, &wanted, *each, order_by.as_deref()) {
                session.each_row(&sql, Vec::new(), &mut take).await?;
            }
        }
    }
    Ok(collector.finish(columns.to_vec(), started.elapsed()))
}

/// The statements for the first and the last rows.
fn ends(table: &Table, facts: &Facts, wanted: &str, each: usize, order_by: Option<&str>) -> Vec<String> {
    if let Some(column) = order_by {
        // The end of the index where the NULLs are is skipped.
        let (from, key) = (from(table, facts, Some(column)), format!("here.{}", Dialect::Mysql.quoted(column)));
        let rows = format!("SELECT {wanted} {from} WHERE {key} IS NOT NULL ORDER BY {key}");
        return vec![format!("{rows} LIMIT {each}"), format!("{rows} DESC LIMIT {each}")];
    }
    let from = from(table, facts, None);
    if table.primary_key.is_empty() {
        // Without an order there is no last row that could be found without reading all.
        return vec![format!("SELECT {wanted} {from} LIMIT {}", each.saturating_mul(2))];
    }
    let order = |direction: &str| {
        let keys = table.primary_key.iter().map(|column| format!("here.{}{direction}", Dialect::Mysql.quoted(column)));
        let order = keys.collect::<Vec<_>>().join(", ");
        format!("SELECT {wanted} {from} FORCE INDEX (PRIMARY) ORDER BY {order} LIMIT {each}")
    };
    vec![order(""), order(" DESC")]
}

/// `FROM` the table as `here`; by the index that leads to `lookup`, if one does.
fn from(table: &Table, facts: &Facts, lookup: Option<&str>) -> String {
    let name = Dialect::Mysql.quoted(&table.id.name);
    match lookup.and_then(|column| facts.lookup_indexes.get(column)) {
        Some(index) => format!("FROM {name} AS here FORCE INDEX ({})", Dialect::Mysql.quoted(index)),
        None => format!("FROM {name} AS here"),
    }
}

/// The cells of a row that was cut to size.
fn sampled(row: Row, kinds: impl IntoIterator<Item = Kind>) -> impl Iterator<Item = Value> {
    let columns = row.columns();
    let cells: Vec<Value> = row
        .unwrap()
        .into_iter()
        .zip(columns.iter())
        .zip(kinds)
        .map(|((cell, column), kind)| kind.sampled_value(cell, column))
        .collect();
    cells.into_iter()
}

/// The cells of a row of a result.
pub(super) fn cells(row: Row, chars: usize) -> Vec<Value> {
    let columns = row.columns();
    row.unwrap().into_iter().zip(columns.iter()).map(|(cell, column)| value(cell, column, chars)).collect()
}

/// Keys as parameters. What can't be a value of the column's type is left out: the server would take it for another
/// value, as it does `x` for 0.
fn keys(base: &BaseType, values: &[Value]) -> Vec<Cell> {
    values.iter().filter_map(|value| key(base, value)).collect()
}

fn key(base: &BaseType, value: &Value) -> Option<Cell> {
    let text = match value {
        Value::Null | Value::Bytes(_) => return None,
        Value::Boolean(value) => u8::from(*value).to_string(),
        other => other.as_text()?,
    };
    match base.kind {
        Kind::Integer => match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(number), _) => Some(Cell::Int(number)),
            (_, Ok(number)) => Some(Cell::UInt(number)),
            _ => None,
        },
        Kind::Real => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Cell::Double),
        // With all its digits.
        Kind::Decimal => is_decimal(&text).then(|| Cell::Bytes(text.into_bytes())),
        Kind::Moment => is_moment(&text, base.name == "date").then(|| Cell::Bytes(text.into_bytes())),
        Kind::Time => is_time(text.strip_prefix('-').unwrap_or(&text), 838).then(|| Cell::Bytes(text.into_bytes())),
        Kind::Text | Kind::Other => Some(Cell::Bytes(text.into_bytes())),
        // Bytes never left the database, so there are none to look for.
        Kind::Bytes => None,
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit()))
}

/// `2024-01-31`, `2024-01-31 23:59:59.5`.
fn is_moment(text: &str, date_only: bool) -> bool {
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let fits = |part: &str, width: usize, most: u32| {
        part.len() == width
            && part.bytes().all(|digit| digit.is_ascii_digit())
            && part.parse().is_ok_and(|n: u32| n <= most)
    };
    fits(year, 4, 9999) && fits(month, 2, 12) && fits(day, 2, 31) && (!date_only || date == text) && is_time(time, 23)
}

/// `23:59:59`, `800:00:00.5`.
fn is_time(text: &str, most_hours: u32) -> bool {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return false };
    let fits = |part: &str, most: u32| {
        (2..=3).contains(&part.len())
            && part.bytes().all(|digit| digit.is_ascii_digit())
            && part.parse().is_ok_and(|n: u32| n <= most)
    };
    let fraction = (1..=6).contains(&fraction.len()) && fraction.bytes().all(|digit| digit.is_ascii_digit());
    fits(hours, most_hours) && fits(minutes, 59) && fits(seconds, 59) && fraction
}

/// A parameter as the column compares it: were it in another character set than the column, the column would be
/// converted row by row, and no index used.
fn placeholder(base: &BaseType) -> String {
    match &base.characters {
        Some((set, collation)) if base.kind == Kind::Text && set != "utf8mb4" => {
            format!("CONVERT(? USING {set}) COLLATE {collation}")
        }
        _ => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mysql_async::Value as Cell;

    use super::{BaseType, Kind, key};
    use crate::value::Value;

    #[test]
    fn looks_only_for_what_can_be_a_value() {
        for (name, text, expected) in [
            ("int", "7", Some(Cell::Int(7))),
            ("bigint", "18446744073709551615", Some(Cell::UInt(u64::MAX))),
            ("int", "seven", None),
            ("int", "7x", None),
            ("decimal", "1.50", Some(Cell::Bytes(b"1.50".to_vec()))),
            ("decimal", "1e3", None),
            ("double", "0.5", Some(Cell::Double(0.5))),
            ("double", "Infinity", None),
            ("date", "2024-01-31", Some(Cell::Bytes(b"2024-01-31".to_vec()))),
            ("date", "2024-13-01", None),
            ("date", "2024-01-31 00:00:00", None),
            ("datetime", "2024-01-31 23:59:59.5", Some(Cell::Bytes(b"2024-01-31 23:59:59.5".to_vec()))),
            ("datetime", "no date", None),
            ("time", "-838:59:59", Some(Cell::Bytes(b"-838:59:59".to_vec()))),
            ("time", "later", None),
            ("varchar", "é", Some(Cell::Bytes("é".into()))),
            ("blob", "é", None),
        ] {
            let base = BaseType { kind: Kind::of(name), name: name.to_owned(), characters: None };
            assert_eq!(key(&base, &Value::Text(text.to_owned())), expected, "{name} {text}");
        }
    }
}
