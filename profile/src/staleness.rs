//! When a table last changed, told from its own timestamps.
//!
//! Columns that record changes (`updated_at`, `angelegt_am`) say it best; other dates and times (`order_date`, `ts`, a
//! text whose values are dates) say that rows were still written then. Dates that things have of their own (births,
//! ends of validity, plans) say nothing: a table about old things isn't an old table. Times to come are skipped,
//! because they are end markers such as 9999-12-31.

use catalog::{ColumnProfile, LastUpdate, NewestValue, RowCount, Table, TableProfile, TypeClass, UpdateEvidence};
use connect::{ConnectError, ReadRows, SampleRequest, Value};
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::options::Options;

/// Without a change for this long, a table is stale.
const STALE_AFTER: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Rows looked at on each side of a large table.
const EDGE: usize = 500;

/// Columns asked in one table.
const MOST_COLUMNS: usize = 8;

/// What a change is called. Words that stand for the last change come before those for the first.
const UPDATE_WORDS: &[&str] = &[
    "updated",
    "update",
    "upd",
    "modified",
    "modification",
    "mod",
    "changed",
    "change",
    "chg",
    "refreshed",
    "synced",
    "loaded",
    "load",
    "aktualisiert",
    "aktualisierung",
    "geaendert",
    "geändert",
    "aenderung",
    "änderung",
    "gewijzigd",
    "wijziging",
    "bijgewerkt",
    "modifie",
    "modifié",
    "modificado",
    "actualizado",
    "actualizacion",
];
const CREATE_WORDS: &[&str] = &[
    "created",
    "creation",
    "create",
    "crt",
    "inserted",
    "insert",
    "ins",
    "added",
    "ingested",
    "imported",
    "logged",
    "recorded",
    "received",
    "erstellt",
    "angelegt",
    "erfasst",
    "aangemaakt",
    "ingevoerd",
    "cree",
    "créé",
    "ajoute",
    "ajouté",
    "creado",
    "creacion",
];
const TIME_WORDS: &[&str] = &[
    "at",
    "on",
    "date",
    "time",
    "timestamp",
    "ts",
    "datetime",
    "dt",
    "last",
    "utc",
    "dttm",
    "day",
    "am",
    "um",
    "datum",
    "dat",
    "zeit",
    "zeitpunkt",
    "zeitstempel",
    "tag",
    "op",
    "tijd",
    "tijdstip",
    "dag",
    "jour",
    "heure",
    "fecha",
    "hora",
];
/// Share of rows without a date up to which it tells of all of them.
const MOST_WITHOUT: f64 = 0.5;
/// Words of dates that things have of their own.
const OWN_WORDS: &[&str] = &[
    "birth",
    "birthdate",
    "birthday",
    "born",
    "dob",
    "death",
    "died",
    "deleted",
    "deleting",
    "deletion",
    "removed",
    "retired",
    "terminated",
    "archived",
    "left",
    "leaving",
    "geloescht",
    "gelöscht",
    "ausgetreten",
    "austritt",
    "supprime",
    "supprimé",
    "eliminado",
    "verwijderd",
    "geburt",
    "geburtsdatum",
    "geburtstag",
    "geb",
    "geboren",
    "geboorte",
    "geboortedatum",
    "naissance",
    "nacimiento",
    "due",
    "faellig",
    "fällig",
    "vervaldatum",
    "echeance",
    "échéance",
    "vencimiento",
    "valid",
    "gueltig",
    "gültig",
    "geldig",
    "valable",
    "valido",
    "until",
    "till",
    "bis",
    "tot",
    "hasta",
    "expiry",
    "expires",
    "expire",
    "expiration",
    "ablauf",
    "end",
    "ende",
    "einde",
    "eind",
    "fin",
    "start",
    "begin",
    "beginn",
    "debut",
    "début",
    "inicio",
    "from",
    "von",
    "van",
    "ab",
    "since",
    "seit",
    "sinds",
    "to",
    "planned",
    "plan",
    "scheduled",
    "geplant",
    "gepland",
    "prevu",
    "prévu",
    "expected",
    "erwartet",
    "eta",
    "etd",
    "target",
    "deadline",
    "promised",
    "required",
    "next",
    "hire",
    "hired",
    "joined",
    "founded",
    "opened",
    "opening",
    "published",
    "release",
    "premiere",
    "launch",
    "launched",
    "effective",
    "eff",
    "warranty",
    "retired",
    "installed",
    "installation",
    "removed",
    "built",
    "manufactured",
    "purchased",
    "acquired",
    "commissioned",
    "decommissioned",
    "gekauft",
    "gebaut",
    "by",
];

/// Whether a column of these words tells of a time that things have of their own: a birth, an end of validity, a plan.
pub(crate) fn is_of_its_own(words: &[String]) -> bool {
    has_any(words, OWN_WORDS)
}

/// Whether a column of these words tells of a time.
pub(crate) fn speaks_of_time(words: &[String]) -> bool {
    [TIME_WORDS, UPDATE_WORDS, CREATE_WORDS].iter().any(|list| has_any(words, list))
}

/// Whether the change lies over a year back.
pub(crate) fn is_old(update: &LastUpdate, now: Timestamp) -> bool {
    now.duration_since(update.at) > STALE_AFTER
}

/// From when back the years of a table count: from now where the engine tells of writing, else from the newest date that any
/// table of the source holds. Data that end with a year, loaded later, make none of their tables older than another.
pub(crate) fn reference(update: &LastUpdate, newest_in_columns: Option<Timestamp>, now: Timestamp) -> Timestamp {
    match newest_in_columns {
        Some(newest) if !update.is_of_engine() => newest.min(now),
        _ => now,
    }
}

/// Up to when the data of a source go: to the newest record of a change, or to the day that a tenth of the tables reach by their
/// other dates, since some of these lie ahead, as the end of a contract does. What the engine tells doesn't count.
pub(crate) fn end_of_data<'u>(updates: impl Iterator<Item = &'u LastUpdate>) -> Option<Timestamp> {
    let (mut others, changes): (Vec<&LastUpdate>, Vec<&LastUpdate>) =
        updates.filter(|update| !update.is_of_engine()).partition(|update| update.is_other_date());
    others.sort_by_key(|update| std::cmp::Reverse(update.at));
    let reached = others.get(others.len() / 10).map(|update| update.at);
    changes.into_iter().map(|update| update.at).chain(reached).max()
}

/// The newest value of the columns that record changes by their type or name, among `columns` (those that may be read);
/// of the table's other dates where there is none.
pub(crate) async fn last_update(
    connector: &dyn ReadRows,
    table: &Table,
    columns: &[String],
    row_count: Option<RowCount>,
    options: &Options,
) -> Result<Option<LastUpdate>, ConnectError> {
    let mut candidates: Vec<(u8, &String)> =
        columns.iter().filter_map(|column| Some((rank(table, column)?, column))).collect();
    candidates.sort_by_key(|(rank, _)| *rank);
    candidates.truncate(MOST_COLUMNS);
    let mut newest: Option<LastUpdate> = None;
    for (rank, column) in candidates {
        let (values, among_rows) = newest_values(connector, table, column, row_count, options).await?;
        let Some(at) = newest_of(values.iter(), options.now) else { continue };
        // When an account was closed says little of a table in which most are open.
        let filled = values.iter().filter(|value| !matches!(value, Value::Null)).count();
        if rank > RECORDS_CHANGES && filled * 2 < values.len() {
            continue;
        }
        if newest.as_ref().is_none_or(|known| at > known.at) {
            newest = Some(LastUpdate { at, evidence: evidence(rank, column, among_rows) });
        }
    }
    Ok(newest)
}

/// The newest of values of `column`, where its type or name says that it tells of changes.
pub(crate) fn last_update_among<'a>(
    table: &Table,
    profile: &ColumnProfile,
    values: impl Iterator<Item = &'a Value>,
    now: Timestamp,
) -> Option<LastUpdate> {
    let rank = rank(table, &profile.column)?;
    if rank > RECORDS_CHANGES && profile.null_fraction.is_some_and(|share| share > MOST_WITHOUT) {
        return None;
    }
    Some(LastUpdate { at: newest_of(values, now)?, evidence: evidence(rank, &profile.column, None) })
}

/// Different days of a column that isn't called after changes, so that its newest one tells when a row was written, unless there
/// are no more than so many rows of each.
const FEWEST_DAYS: u64 = 10;
const ROWS_OF_A_DAY: f64 = 3.0;

/// The newest of a column's values where they, and not type or name, show that it holds dates.
pub(crate) fn last_update_in<'a>(
    table: &Table,
    profile: &ColumnProfile,
    values: impl Iterator<Item = &'a Value>,
    now: Timestamp,
) -> Option<LastUpdate> {
    let holds_dates = profile.pattern.as_ref().is_some_and(|pattern| pattern.form.is_iso_date());
    if !holds_dates || profile.masked.is_some() || rank(table, &profile.column).is_some() {
        return None;
    }
    if has_any(&words::in_identifier(&profile.column), OWN_WORDS) {
        return None;
    }
    // A list has few days, on which its versions came, and what it says holds until the next.
    let comes_together = profile.distinct_ratio.is_some_and(|ratio| ratio < 1.0 / ROWS_OF_A_DAY);
    if comes_together && profile.distinct_count.is_some_and(|days| days < FEWEST_DAYS) {
        return None;
    }
    // What happened to few things, as being put out of service, says nothing of when the others were written.
    if profile.null_fraction.is_some_and(|share| share > MOST_WITHOUT) {
        return None;
    }
    let at = newest_of(values, now)?;
    Some(LastUpdate { at, evidence: evidence(OTHER_DATE, &profile.column, None) })
}

/// The newest day, up to now, in any column that has been looked at.
pub(crate) fn newest_of_any(profile: &TableProfile, now: Timestamp) -> Option<Timestamp> {
    let is_day = |text: &&str| text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let days = profile.columns.iter().filter_map(|column| column.max.as_deref().filter(is_day));
    let days: Vec<Value> = days.map(|day| Value::Text(day.to_owned())).collect();
    newest_of(days.iter(), now)
}

/// The newest of these up to now; `None` where many aren't read as times, or lie ahead: what is planned says nothing of when
/// somebody wrote.
fn newest_of<'a>(values: impl Iterator<Item = &'a Value>, now: Timestamp) -> Option<Timestamp> {
    /// One in so many may be neither.
    const MOST: usize = 20;
    /// Days after which nothing is planned: an end that stands for none.
    const PLANNED: i64 = 10 * 365;
    let (latest, far) = (now + SignedDuration::from_hours(24), now + SignedDuration::from_hours(24 * PLANNED));
    let (mut newest, mut told, mut others) = (None, 0, 0);
    for value in values {
        match moment(value) {
            Some(at) if at <= latest => (newest, told) = (newest.max(Some(at)), told + 1),
            Some(at) => others += usize::from(at <= far),
            None => others += usize::from(value.as_text().is_some_and(|text| is_unread(&text))),
        }
    }
    newest.filter(|_| others * MOST <= told)
}

/// Whether a text may be a time in a form that isn't read, and not one that stands for none: `9999-12-31`.
fn is_unread(text: &str) -> bool {
    text.contains(|it: char| it.is_ascii_digit()) && !text.starts_with("9999")
}

fn evidence(rank: u8, column: &str, among_rows: Option<usize>) -> UpdateEvidence {
    let newest = NewestValue { column: column.to_owned(), among_rows };
    if rank < OTHER_DATE { UpdateEvidence::ChangeColumn(newest) } else { UpdateEvidence::OtherDate(newest) }
}

/// The last rank of columns that are called after changes, which each row has been through once.
const RECORDS_CHANGES: u8 = 1;
/// The rank of dates that don't record changes.
const OTHER_DATE: u8 = 4;

/// How directly a column tells of changes, 0 first; `None` where it doesn't.
fn rank(table: &Table, column: &str) -> Option<u8> {
    let words = words::in_identifier(column);
    let class = table.column(column)?.type_class;
    let last_is = |list: &[&str]| words.last().is_some_and(|word| list.contains(&word.as_str()));
    let named_after_change = last_is(UPDATE_WORDS) || last_is(CREATE_WORDS);
    let is_time = class.is_temporal() || has_any(&words, TIME_WORDS) || named_after_change;
    let may_hold_time =
        !matches!(class, TypeClass::Boolean | TypeClass::Binary | TypeClass::Json | TypeClass::Uuid | TypeClass::Time);
    let only_time_words = || words.iter().all(|word| TIME_WORDS.contains(&word.as_str()));
    match () {
        () if !may_hold_time || !is_time => None,
        () if has_any(&words, UPDATE_WORDS) => Some(0),
        () if has_any(&words, CREATE_WORDS) => Some(1),
        () if has_any(&words, OWN_WORDS) => None,
        // `ordered_at`, `paid_at`: the table records events. A date alone may be planned.
        () if words.len() > 1 && last_is(&["at"]) => Some(2),
        () if class == TypeClass::Timestamp && only_time_words() => Some(3),
        () => Some(OTHER_DATE),
    }
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Values among which the newest is, or nearly, and how many they are where they are only the first and the last ones.
async fn newest_values(
    connector: &dyn ReadRows,
    table: &Table,
    column: &str,
    row_count: Option<RowCount>,
    options: &Options,
) -> Result<(Vec<Value>, Option<usize>), ConnectError> {
    let only = [column.to_owned()];
    if row_count.is_some_and(|count| count.value <= options.all_rows_below) {
        let rows = usize::try_from(options.all_rows_below).unwrap_or(usize::MAX);
        let result = connector.sample(table, &only, &SampleRequest::FirstRows { rows }).await?;
        return Ok((result.rows.into_iter().flatten().collect(), None));
    }
    if let Some((_, largest)) = connector.key_range(table, column).await? {
        // An end marker hides the newest value behind it; then the rows at the ends say more.
        if moment(&largest).is_some_and(|at| at <= options.now) {
            return Ok((vec![largest], None));
        }
    }
    let request = SampleRequest::FirstAndLast { each: EDGE, order_by: None };
    let values: Vec<Value> = connector.sample(table, &only, &request).await?.rows.into_iter().flatten().collect();
    let among = values.len();
    Ok((values, Some(among)))
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
        10 if text.contains('.') => dotted_moment(text),
        10 => text.parse::<Date>().ok().and_then(|date| at_utc(date.to_datetime(jiff::civil::Time::midnight()))),
        0..10 => text.parse().ok().and_then(number_moment),
        _ => text.trim_end_matches(" UTC").parse::<DateTime>().ok().and_then(at_utc),
    }
}

/// `31.01.2024`: with points, the day comes first everywhere.
fn dotted_moment(text: &str) -> Option<Timestamp> {
    let (day, rest) = text.split_once('.')?;
    let (month, year) = rest.split_once('.')?;
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    Offset::UTC.to_timestamp(date.to_datetime(jiff::civil::Time::midnight())).ok()
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
    use catalog::{Column, ColumnProfile, Pattern, Table, TableId, ValueForm};
    use connect::Value;
    use jiff::Timestamp;

    use super::{last_update_in, moment, newest_of, rank};

    fn table(columns: Vec<Column>) -> Table {
        Table { columns, ..Table::new(TableId::new("s", "t")) }
    }

    fn ranked(name: &str, data_type: &str) -> Option<u8> {
        let column = Column::new(name, data_type);
        rank(&table(vec![column]), name)
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
            ("order_date", "DATE", Some(4)),
            ("datum", "TEXT", Some(4)),
            ("booking_date", "TEXT", Some(4)),
            ("event_ts", "INTEGER", Some(4)),
            ("dt", "INTEGER", Some(4)),
            ("created", "TEXT", Some(1)),
            ("crt_dt", "TEXT", Some(1)),
            ("angelegt_am", "TEXT", Some(1)),
            ("updated", "INTEGER", Some(0)),
            ("geburtsdatum", "DATE", None),
            ("geboorte_datum", "TEXT", None),
            ("faellig_am", "TEXT", None),
            ("due_date", "DATE", None),
            ("expires_at", "TIMESTAMP", None),
            ("amount", "INTEGER", None),
            ("updated", "BOOLEAN", None),
            ("update_count", "INTEGER", None),
            ("created_by", "TEXT", None),
        ] {
            assert_eq!(ranked(name, data_type), expected, "{name}");
        }
    }

    #[test]
    fn what_happened_to_few_rows_tells_nothing_of_all() {
        let table = table(Vec::new());
        let profile = |null_fraction| ColumnProfile {
            null_fraction: Some(null_fraction),
            pattern: Some(Pattern { form: ValueForm::IsoDate, share: 1.0 }),
            ..ColumnProfile::empty("out_of_service")
        };
        let values = [Value::Text("2025-09-15".into())];
        let now: Timestamp = "2026-06-30T00:00:00Z".parse().unwrap();
        let told = |share| last_update_in(&table, &profile(share), values.iter(), now).is_some();
        assert!(told(0.1) && !told(0.9));
    }

    #[test]
    fn what_is_planned_or_in_another_form_tells_of_no_writing() {
        let now = "2024-06-01T00:00:00Z".parse().unwrap();
        let newest = |texts: &[&str]| {
            let values: Vec<Value> = texts.iter().map(|text| Value::Text((*text).to_owned())).collect();
            newest_of(values.iter(), now).map(|at| at.to_string())
        };
        let may = Some("2024-05-01T00:00:00Z".to_owned());
        assert_eq!(newest(&["2024-05-01", "2023-05-01", "9999-12-31", "2199-01-01", ""]), may);
        assert_eq!(newest(&["2024-05-01", "2023-05-01", "2024-09-01"]), None);
        assert_eq!(newest(&["01.05.2024", "05/31/2024", "05/30/2024"]), None);
    }

    #[test]
    fn reads_times_in_the_forms_they_are_stored_in() {
        for (value, expected) in [
            (Value::Text("2024-01-31".into()), Some("2024-01-31T00:00:00Z")),
            (Value::Text("31.01.2024".into()), Some("2024-01-31T00:00:00Z")),
            (Value::Text("31.13.2024".into()), None),
            (Value::Text("2024-01-31 10:20".into()), Some("2024-01-31T10:20:00Z")),
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
