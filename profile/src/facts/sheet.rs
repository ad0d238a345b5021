//! The rows that facts are looked for in, column by column, each cell in the kinds that it can be taken for.

use std::collections::HashMap;

use catalog::{Column, ColumnProfile, Dialect, Fact, FactKind, SampleMethod, Table, TableProfile, TimeUnit, TypeClass};
use connect::Value;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

use crate::random::Random;

/// Rows looked at: relations between columns show in far fewer than a profile rests on.
pub(super) const MOST_ROWS: usize = 10_000;

/// Some rows of a table, of the columns that may be shown.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) table: &'a Table,
    pub(super) dialect: &'a Dialect,
    pub(super) profile: &'a TableProfile,
    pub(super) columns: Vec<SheetColumn<'a>>,
    pub(super) rows: usize,
    drawn: &'a SampleMethod,
}

/// A column of them.
#[derive(Debug)]
pub(super) struct SheetColumn<'a> {
    pub(super) column: &'a Column,
    pub(super) figures: &'a ColumnProfile,
    /// The words of its name.
    pub(super) words: Vec<String>,
    /// Whether it identifies something rather than measuring it.
    pub(super) is_key: bool,
    pub(super) texts: Vec<Option<String>>,
    /// The same as numbers of the different values, by which rows are grouped faster than by texts.
    codes: Vec<u32>,
    /// The same as numbers, where the column is numeric.
    pub(super) numbers: Vec<Option<f64>>,
    /// The same as seconds since 1970, where the column holds dates or times.
    pub(super) times: Vec<Option<i64>>,
    /// Whether these are months: `2024-03`, `202403`.
    has_months: bool,
}

impl<'a> Sheet<'a> {
    /// `rows` have the cells of the columns named in `readable`, in that order.
    pub(super) fn new(
        table: &'a Table,
        dialect: &'a Dialect,
        profile: &'a TableProfile,
        readable: &[String],
        rows: &[Vec<Value>],
        drawn: &'a SampleMethod,
    ) -> Self {
        // One of each stretch, so that they come from everywhere where the rows are in an order; any of it, since what comes again
        // in every twentieth row would else be in all of them or in none.
        let stretch = rows.len().div_ceil(MOST_ROWS).max(1);
        let mut random = Random::named(&table.id.to_string());
        let rows: Vec<&Vec<Value>> = rows.chunks(stretch).filter_map(|rows| random.one_of(rows)).collect();
        let columns = readable.iter().enumerate().filter_map(|(place, name)| {
            let (column, figures) = (table.column(name)?, profile.column(name)?);
            let cells = rows.iter().map(move |row| row.get(place).unwrap_or(&Value::Null));
            figures.masked.is_none().then(|| SheetColumn::new(table, column, figures, cells.collect()))
        });
        Self { table, dialect, profile, columns: columns.collect(), rows: rows.len(), drawn }
    }

    /// Takes what was found to be times for times.
    pub(super) fn learn_times(&mut self, facts: &[Fact]) {
        for fact in facts {
            let is_time = matches!(fact.kind, FactKind::CountedTime { .. } | FactKind::TextDates { .. });
            let own = fact.column().filter(|_| is_time);
            if let Some(column) = self.columns.iter_mut().find(|column| Some(column.column.name.as_str()) == own) {
                column.times = column.texts.iter().map(|text| time_in(&fact.kind, text.as_deref()?)).collect();
                column.numbers.iter_mut().for_each(|number| *number = None);
            }
        }
    }

    /// Whether the rows are all that there are.
    pub(super) fn is_whole(&self) -> bool {
        *self.drawn == SampleMethod::AllRows && self.row_count() == Some(self.rows as f64)
    }

    /// Whether they are the first rows of more: what comes behind them may follow other rules.
    pub(super) fn is_beginning(&self) -> bool {
        *self.drawn == SampleMethod::FirstRows && !self.is_whole()
    }

    /// Whether the rows come from everywhere in the table.
    pub(super) fn is_even(&self) -> bool {
        !matches!(self.drawn, SampleMethod::FirstAndLast | SampleMethod::FirstRows)
    }

    /// Whether each row had the same chance by itself: an engine's own sample takes whole blocks, and leaves out what lies in others.
    pub(super) fn is_row_by_row(&self) -> bool {
        self.is_even() && *self.drawn != SampleMethod::EngineSample
    }

    pub(super) fn row_count(&self) -> Option<f64> {
        self.profile.row_count.map(|count| count.value as f64)
    }

    /// The time of a row: a column that nearly every row has and that isn't about something else than when the row came to be.
    pub(super) fn time(&self) -> Option<&SheetColumn<'a>> {
        let telling = |column: &&SheetColumn<'a>| {
            let filled = column.times.iter().flatten().count();
            filled * 20 >= self.rows * 19 && column.different() >= 5
        };
        let of_own = |column: &SheetColumn<'a>| crate::staleness::is_of_its_own(&column.words);
        let mut columns: Vec<&SheetColumn<'a>> = self.columns.iter().filter(telling).collect();
        columns.sort_by_key(|column| of_own(column));
        columns.first().copied()
    }

    /// That second as the time of a row says it: by its month, where other rows may lie before it, or behind.
    pub(super) fn about(&self, time: &SheetColumn<'_>, second: i64) -> String {
        let day = time.written(second);
        match (self.is_whole(), day.get(..7)) {
            (false, Some(month)) if day.len() == 10 => month.to_owned(),
            _ => day,
        }
    }

    /// The rows that are the same in one or two columns; all where there are none.
    pub(super) fn groups(&self, columns: &[&SheetColumn<'_>]) -> Vec<Vec<usize>> {
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for row in 0..self.rows {
            let group = columns.first().map_or(0, |first| first.group_of(row, columns.get(1).copied()));
            let place = *places.entry(group).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[place].push(row);
        }
        groups
    }

    pub(super) fn name(&self, column: &SheetColumn<'_>) -> String {
        self.dialect.identifier(&column.column.name)
    }

    pub(super) fn from(&self) -> String {
        self.table.id.written(self.dialect)
    }
}

impl<'a> SheetColumn<'a> {
    fn new(table: &Table, column: &'a Column, figures: &'a ColumnProfile, cells: Vec<&Value>) -> Self {
        let texts: Vec<Option<String>> = cells.iter().map(|cell| cell.as_text()).collect();
        let class = column.type_class;
        // An engine without types (SQLite) may hold numbers in a column of any.
        let holds_numbers =
            || cells.iter().all(|cell| matches!(cell, Value::Null | Value::Integer(_) | Value::Real(_)));
        let numbers = match class.is_numeric() || (class == TypeClass::Other && holds_numbers()) {
            true => texts
                .iter()
                .map(|text| text.as_deref()?.parse().ok().filter(|number: &f64| number.is_finite()))
                .collect(),
            false => vec![None; texts.len()],
        };
        let is_dated = figures.pattern.as_ref().is_some_and(|pattern| pattern.form.is_iso_date());
        let holds_times = matches!(class, TypeClass::Date | TypeClass::Timestamp) || is_dated;
        let mut times = match holds_times {
            true => texts.iter().map(|text| seconds(text.as_deref()?)).collect(),
            false => vec![None; texts.len()],
        };
        let mut numbers = numbers;
        let months = if holds_times { None } else { months(&texts) };
        let has_months = months.is_some();
        if let Some(months) = months {
            times = months;
            numbers.iter_mut().for_each(|number| *number = None);
        }
        let words = words::in_identifier(&column.name);
        let is_key = table.primary_key.contains(&column.name)
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
            || words.last().is_some_and(|last| is_key_word(last));
        let mut known: HashMap<Option<&str>, u32> = HashMap::new();
        let codes = texts.iter().map(|text| {
            let next = known.len() as u32;
            *known.entry(text.as_deref()).or_insert(next)
        });
        let codes = codes.collect();
        Self { column, figures, words, is_key, texts, codes, numbers, times, has_months }
    }

    /// What rows have in common that are the same in this column, and in the other one where there is one.
    pub(super) fn group_of(&self, row: usize, other: Option<&Self>) -> u64 {
        u64::from(self.codes[row]) << 32 | other.map_or(0, |other| u64::from(other.codes[row]))
    }

    /// That second as the column's own values would say it.
    pub(super) fn written(&self, second: i64) -> String {
        let day = day(second);
        let is_compact = || self.texts.iter().flatten().all(|text| !text.contains('-'));
        match self.has_months {
            true if is_compact() => day[..7].replace('-', ""),
            true => day[..7].to_owned(),
            false => day,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.column.type_class, TypeClass::Text | TypeClass::Other) && self.numbers.iter().all(Option::is_none)
    }

    pub(super) fn is_numeric(&self) -> bool {
        self.numbers.iter().any(Option::is_some)
    }

    pub(super) fn is_time(&self) -> bool {
        self.times.iter().any(Option::is_some)
    }

    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Different values, in the whole table as far as that is known.
    pub(super) fn different(&self) -> u64 {
        let seen = || {
            let mut values: Vec<&String> = self.texts.iter().flatten().collect();
            values.sort_unstable();
            values.dedup();
            values.len() as u64
        };
        self.figures.distinct_count.unwrap_or_else(seen)
    }

    /// Share of rows without a value, 0 to 1.
    pub(super) fn empty(&self) -> f64 {
        let empty = self.texts.iter().filter(|text| text.is_none()).count();
        self.figures.null_fraction.unwrap_or(empty as f64 / self.texts.len().max(1) as f64)
    }
}

/// Whether the last word of a column's name says that it identifies something.
pub(super) fn is_key_word(last: &str) -> bool {
    /// Words that end like `orderid` and say something else.
    const OTHERWISE: [&str; 17] = [
        "paid", "unpaid", "prepaid", "repaid", "bid", "grid", "valid", "invalid", "void", "aid", "fluid", "liquid",
        "solid", "acid", "rapid", "hybrid", "covid",
    ];
    KEY_WORDS.contains(&last) || last.ends_with("id") && !OTHERWISE.contains(&last)
}

/// Words that say that a column identifies something.
const KEY_WORDS: [&str; 13] =
    ["id", "key", "pk", "fk", "uuid", "guid", "no", "nr", "code", "cd", "num", "number", "ref"];

/// The moment from which seconds are counted. The calendar's own arithmetic reaches further than points in time do: 9999-12-31.
const BEGINNING: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// When things happen that somebody keeps rows of: 1905 to 2100. What lies outside stands for something else.
pub(super) const EVENTS: std::ops::Range<i64> = -2_051_222_400..4_102_444_800;

/// Seconds since 1970 of a date, with a time or without, as if it were in UTC.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let date: Date = text.get(..10)?.parse().ok()?;
    let rest = text.get(11..).unwrap_or_default();
    let digits = rest.find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, ':' | '.')).unwrap_or(rest.len());
    let time: Time = if digits >= 5 { rest[..digits].parse().ok()? } else { Time::midnight() };
    Some(date.to_datetime(time).duration_since(BEGINNING).as_secs())
}

/// The beginnings of the months that texts name, where all do, and of more than two years: `2024-03`, `202403`.
fn months(texts: &[Option<String>]) -> Option<Vec<Option<i64>>> {
    /// Different months: few numbers of six digits that could be months are some by chance.
    const LEAST: usize = 6;
    let month = |text: &String| {
        let digits = text.replacen('-', "", usize::from(text.len() == 7 && text.as_bytes().get(4) == Some(&b'-')));
        let is_month = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_near = is_month && ("1950".."2100").contains(&&digits[..4]);
        seconds(&format!("{}-{}-01", digits.get(..4).filter(|_| is_near)?, digits.get(4..)?))
    };
    // Most columns hold something else, which the first value tells.
    month(texts.iter().flatten().next()?)?;
    let times: Vec<Option<i64>> = texts.iter().map(|text| text.as_ref().and_then(month)).collect();
    let mut different: Vec<i64> = times.iter().flatten().copied().collect();
    different.sort_unstable();
    different.dedup();
    let are_all = times.iter().zip(texts).all(|(time, text)| time.is_some() == text.is_some());
    (are_all && different.len() >= LEAST).then_some(times)
}

/// The time that a text says in a column of which that is known.
pub(super) fn time_in(known: &FactKind, text: &str) -> Option<i64> {
    let number = || text.parse::<f64>().ok();
    match known {
        FactKind::CountedTime { unit: TimeUnit::Seconds, .. } => number().map(|it| it as i64),
        FactKind::CountedTime { unit: TimeUnit::Milliseconds, .. } => number().map(|it| (it / 1000.0) as i64),
        FactKind::CountedTime { unit: TimeUnit::SecondsOrMilliseconds, .. } => {
            number().map(|it| if it > LARGEST_SECOND { it / 1000.0 } else { it } as i64)
        }
        FactKind::CountedTime { unit: TimeUnit::SheetDays, .. } => {
            number().map(|it| ((it - SHEET_DAYS_TO_1970) * 86_400.0) as i64)
        }
        // Which form a row has, its text doesn't say.
        FactKind::TextDates { by: Some(_), .. } => None,
        FactKind::TextDates { form, .. } => {
            form.split(" or ").find_map(|form| as_iso(text, form)).and_then(|text| seconds(&text))
        }
        _ => None,
    }
}

/// A larger number of seconds since 1970 is one of milliseconds.
pub(super) const LARGEST_SECOND: f64 = 1.0e11;

/// Days from 30 December 1899 to 1 January 1970.
pub(super) const SHEET_DAYS_TO_1970: f64 = 25_569.0;

/// A date in that form as ISO 8601 writes it; `None` where the form doesn't say which is the month, or names it.
fn as_iso(text: &str, form: &str) -> Option<String> {
    let text = text.trim();
    if form == "YYYY-MM-DD" {
        return text.get(..10).filter(|day| day.parse::<Date>().is_ok()).map(str::to_owned);
    }
    if form == "YYMMDD" {
        let digits = format!("{text:0>6}");
        let century = if digits.get(..2)? < "50" { "20" } else { "19" };
        return Some(format!("{century}{}-{}-{}", digits.get(..2)?, digits.get(2..4)?, digits.get(4..6)?));
    }
    if form == "YYYYMMDD" {
        return Some(format!("{}-{}-{}", text.get(..4)?, text.get(4..6)?, text.get(6..8)?));
    }
    let separator = form.chars().find(|sign| !sign.is_alphabetic() && *sign != '?')?;
    let date = text.split_once([' ', 'T']).filter(|(_, rest)| rest.contains(':')).map_or(text, |(date, _)| date);
    let (mut year, mut month, mut day) = (None, None, None);
    for (part, letters) in date.split(separator).zip(form.split(separator)) {
        let number: u32 = part.trim_end_matches('.').parse().ok()?;
        match letters.chars().next()? {
            'Y' if part.len() == 2 => year = Some(number + if number < 50 { 2000 } else { 1900 }),
            'Y' => year = Some(number),
            'M' if letters != "Mon" => month = Some(number),
            'D' => day = Some(number),
            _ => return None,
        }
    }
    Some(format!("{:04}-{:02}-{:02}", year?, month?, day?))
}

/// The day of that second, as ISO 8601 writes it.
pub(super) fn day(second: i64) -> String {
    BEGINNING.checked_add(SignedDuration::from_secs(second)).unwrap_or(BEGINNING).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::{as_iso, day, seconds};

    #[test]
    fn dates_are_read_with_and_without_a_time() {
        assert_eq!(seconds("1970-01-02"), Some(86_400));
        assert_eq!(seconds("1970-01-01T00:01:00Z"), Some(60));
        assert_eq!(seconds("1970-01-01 00:01:00.5+00"), Some(60));
        assert_eq!(seconds("04.03.2019"), None);
        assert_eq!(day(86_399), "1970-01-01");
        for (text, form, expected) in [
            ("04.03.2019", "DD.MM.YYYY", Some("2019-03-04")),
            ("3/4/19 10:15", "M/D/YY", Some("2019-03-04")),
            ("20190304", "YYYYMMDD", Some("2019-03-04")),
            ("90304", "YYMMDD", Some("2009-03-04")),
            ("04.03.2019", "??.??.YYYY", None),
            ("4-Mar-2019", "D-Mon-YYYY", None),
        ] {
            assert_eq!(as_iso(text, form).as_deref(), expected, "{text}");
        }
    }
}
