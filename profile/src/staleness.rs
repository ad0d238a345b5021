//! When a table last changed, told from its own timestamps.
//!
//! Only columns that record changes are asked (`updated_at`, `created`, `load_date`), never dates that things have of
//! their own (`birth_date`, `valid_until`): a table about old things isn't an old table. Times to come are passed over,
//! because they are end markers such as 9999-12-31.

use catalog::{LastUpdate, RowCount, Table, TypeClass, split_identifier};
use connect::{ConnectError, Connector, SampleRequest, Value};
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::options::Options;

/// Without a change for this long, a table is stale.
const STALE_AFTER: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Rows looked at on each side of a large table.
const EDGE: usize = 500;

/// What a change is called. Words that stand for the last change come before those for the first.
const UPDATE_WORDS: [&str; 10] =
    ["updated", "update", "modified", "modification", "changed", "change", "refreshed", "synced", "loaded", "load"];
const CREATE_WORDS: [&str; 9] =
    ["created", "creation", "create", "inserted", "insert", "added", "ingested", "logged", "recorded"];
const TIME_WORDS: [&str; 11] = ["at", "on", "date", "time", "timestamp", "ts", "datetime", "dt", "last", "utc", "dttm"];

/// Whether the table has not changed for over a year.
pub(crate) fn is_stale(last_update: Option<&LastUpdate>, now: Timestamp) -> bool {
    last_update.is_some_and(|update| now.duration_since(update.at) > STALE_AFTER)
}

/// The newest value of the column that best records changes, among `columns` (those that may be read).
pub(crate) async fn last_update(
    connector: &dyn Connector,
    table: &Table,
    columns: &[String],
    row_count: Option<RowCount>,
    options: &Options,
) -> Result<Option<LastUpdate>, ConnectError> {
    let mut candidates: Vec<(u8, &String)> =
        columns.iter().filter_map(|column| Some((rank(table, column)?, column))).collect();
    candidates.sort_by_key(|(rank, _)| *rank);
    for (_, column) in candidates.into_iter().take(3) {
        let (values, evidence) = newest_values(connector, table, column, row_count, options).await?;
        let latest = options.now + SignedDuration::from_hours(24);
        let newest = values.iter().filter_map(moment).filter(|at| *at <= latest).max();
        if let Some(at) = newest {
            return Ok(Some(LastUpdate { at, evidence }));
        }
    }
    Ok(None)
}

/// How directly a column tells of changes, 0 first; `None` where it doesn't.
fn rank(table: &Table, column: &str) -> Option<u8> {
    let words = split_identifier(column);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let class = table.column(column)?.type_class;
    let is_time = class.is_temporal() || has(&TIME_WORDS);
    let may_hold_time = !matches!(class, TypeClass::Boolean | TypeClass::Binary | TypeClass::Json | TypeClass::Uuid);
    let only_time_words = || words.iter().all(|word| TIME_WORDS.contains(&word.as_str()));
    match () {
        () if !may_hold_time || !is_time => None,
        () if has(&UPDATE_WORDS) => Some(0),
        () if has(&CREATE_WORDS) => Some(1),
        // `ordered_at`, `paid_at`: the table records events. A date alone may be planned, or somebody's birthday.
        () if words.len() > 1 && words.last().is_some_and(|word| word == "at") => Some(2),
        () if class == TypeClass::Timestamp && only_time_words() => Some(3),
        () => None,
    }
}

/// Values among which the newest is, or nearly, and how they were found.
async fn newest_values(
    connector: &dyn Connector,
    table: &Table,
    column: &str,
    row_count: Option<RowCount>,
    options: &Options,
) -> Result<(Vec<Value>, String), ConnectError> {
    let only = [column.to_owned()];
    if row_count.is_some_and(|count| count.value <= options.all_rows_below) {
        let rows = usize::try_from(options.all_rows_below).unwrap_or(usize::MAX);
        let result = connector.sample(table, &only, &SampleRequest::FirstRows { rows }).await?;
        return Ok((result.rows.into_iter().flatten().collect(), format!("column {column}")));
    }
    if let Some((_, largest)) = connector.key_range(table, column).await? {
        // An end marker hides the newest value behind it; then the rows at the ends say more.
        if moment(&largest).is_some_and(|at| at <= options.now) {
            return Ok((vec![largest], format!("column {column}")));
        }
    }
    let request = SampleRequest::FirstAndLast { each: EDGE, order_by: None };
    let values: Vec<Value> = connector.sample(table, &only, &request).await?.rows.into_iter().flatten().collect();
    let evidence = format!("column {column}, in the first and last {} rows", values.len());
    Ok((values, evidence))
}

/// The point in time that a value is, in UTC where it names no offset: ISO texts, seconds or milliseconds since 1970
/// between 2001 and 2100, `yyyymmdd`.
fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Text(text) => text_moment(text.trim()),
        Value::Integer(number) => number_moment(*number),
        Value::Real(number) if number.is_finite() => number_moment(*number as i64),
        _ => None,
    }
}

fn text_moment(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let at_utc = |at: DateTime| Offset::UTC.to_timestamp(at).ok();
    match text.len() {
        10 => text.parse::<Date>().ok().and_then(|date| at_utc(date.to_datetime(jiff::civil::Time::midnight()))),
        0..10 => text.parse().ok().and_then(number_moment),
        _ => text.trim_end_matches(" UTC").parse::<DateTime>().ok().and_then(at_utc),
    }
}

fn number_moment(number: i64) -> Option<Timestamp> {
    const YEAR_2001: i64 = 978_307_200;
    const YEAR_2100: i64 = 4_102_444_800;
    match number {
        19_000_101..=21_001_231 => {
            let date = Date::new(
                i16::try_from(number / 10_000).ok()?,
                i8::try_from(number / 100 % 100).ok()?,
                i8::try_from(number % 100).ok()?,
            );
            Offset::UTC.to_timestamp(date.ok()?.to_datetime(jiff::civil::Time::midnight())).ok()
        }
        YEAR_2001..YEAR_2100 => Timestamp::from_second(number).ok(),
        _ if (YEAR_2001 * 1000..YEAR_2100 * 1000).contains(&number) => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Table, TableId, TableKind, TypeClass};
    use connect::Value;

    use super::{moment, rank};

    fn ranked(name: &str, data_type: &str) -> Option<u8> {
        let column = Column {
            name: name.into(),
            data_type: data_type.into(),
            type_class: TypeClass::of(data_type),
            nullable: true,
            default: None,
            comment: None,
            enum_values: Vec::new(),
        };
        let table = Table {
            id: TableId::new("s", "t"),
            kind: TableKind::Table,
            comment: None,
            definition: None,
            columns: vec![column],
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            row_count: None,
            last_update: None,
        };
        rank(&table, name)
    }

    #[test]
    fn knows_the_columns_that_record_changes() {
        for (name, data_type, expected) in [
            ("updated_at", "TEXT", Some(0)),
            ("last_update", "timestamp", Some(0)),
            ("lastModifiedDate", "TEXT", Some(0)),
            ("created_at", "DATETIME", Some(1)),
            ("creation_date", "TEXT", Some(1)),
            ("ordered_at", "TEXT", Some(2)),
            ("ts", "TIMESTAMP", Some(3)),
            ("birth_date", "DATE", None),
            ("valid_until", "TIMESTAMP", None),
            ("order_date", "DATE", None),
            ("updated", "BOOLEAN", None),
            ("update_count", "INTEGER", None),
            ("created_by", "TEXT", None),
        ] {
            assert_eq!(ranked(name, data_type), expected, "{name}");
        }
    }

    #[test]
    fn reads_times_in_the_forms_they_are_stored_in() {
        for (value, expected) in [
            (Value::Text("2024-01-31".into()), Some("2024-01-31T00:00:00Z")),
            (Value::Text("2024-01-31 10:20:30".into()), Some("2024-01-31T10:20:30Z")),
            (Value::Text("2024-01-31T10:20:30+02:00".into()), Some("2024-01-31T08:20:30Z")),
            (Value::Text("2024-01-31 10:20:30.5 UTC".into()), Some("2024-01-31T10:20:30.5Z")),
            (Value::Integer(1_706_696_430), Some("2024-01-31T10:20:30Z")),
            (Value::Integer(1_706_696_430_000), Some("2024-01-31T10:20:30Z")),
            (Value::Integer(20_240_131), Some("2024-01-31T00:00:00Z")),
            (Value::Integer(20_241_331), None),
            (Value::Text("soon".into()), None),
            (Value::Integer(7), None),
            (Value::Real(f64::INFINITY), None),
            (Value::Null, None),
        ] {
            assert_eq!(moment(&value).map(|at| at.to_string()).as_deref(), expected, "{value:?}");
        }
    }
}
