//! Values from the engine's cells.
//!
//! Invariant: what has no place among the kinds of [`Value`] becomes the text that the engine itself would write, with
//! every digit: `CAST(… AS VARCHAR)` says the same. Only bytes inside a nested value are named by their number, a text
//! with a backslash is in quotes there, as it is from version 2.0 on, and a row of one field has no comma behind it.

use std::fmt::Write as _;

use super::engine::{Cell, Unit};
use crate::value::Value;

const MICROS: i64 = 1_000_000;
const NANOS: i64 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// How the cells of a column are read into samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Never long, and read as it is.
    Plain,
    /// Exact, with any number of digits: a text in results, a number in samples, where figures are wanted.
    Number,
    Bytes,
    Text,
    /// Nested values, and types that are not known here.
    Other,
}

impl Kind {
    /// The kind of a type by the engine's words for it.
    pub(super) fn of(data_type: &str) -> Self {
        let base = data_type.split('(').next().unwrap_or_default();
        if data_type.ends_with(']') {
            return Self::Other;
        }
        match base {
            "BOOLEAN"
            | "TINYINT"
            | "SMALLINT"
            | "INTEGER"
            | "BIGINT"
            | "UTINYINT"
            | "USMALLINT"
            | "UINTEGER"
            | "FLOAT"
            | "DOUBLE"
            | "DATE"
            | "TIME"
            | "TIME WITH TIME ZONE"
            | "TIME_NS"
            | "TIMESTAMP"
            | "TIMESTAMP_S"
            | "TIMESTAMP_MS"
            | "TIMESTAMP_NS"
            | "TIMESTAMP WITH TIME ZONE"
            | "INTERVAL"
            | "UUID"
            | "ENUM" => Self::Plain,
            "UBIGINT" | "HUGEINT" | "UHUGEINT" | "DECIMAL" => Self::Number,
            "BLOB" => Self::Bytes,
            "VARCHAR" | "JSON" => Self::Text,
            _ => Self::Other,
        }
    }

    /// An expression for `column` that is never long: texts are cut at `chars`, and of bytes only the length leaves the
    /// database.
    pub(super) fn cut_to_size(self, column: &str, chars: usize) -> String {
        match self {
            Self::Plain | Self::Number => column.to_owned(),
            Self::Bytes => format!("octet_length({column})"),
            Self::Text => format!("\"left\"({column}, {chars})"),
            Self::Other => format!("\"left\"(CAST({column} AS VARCHAR), {chars})"),
        }
    }

    /// A cell of a sample; see [`Kind::cut_to_size`].
    pub(super) fn sampled_value(self, cell: Cell<'_>) -> Value {
        match (self, value(cell, usize::MAX)) {
            (Self::Bytes, Value::Integer(length)) => Value::Bytes(usize::try_from(length).unwrap_or(0)),
            (Self::Number, Value::Text(text)) => match (text.parse(), text.parse()) {
                (Ok(whole), _) => Value::Integer(whole),
                (_, Ok(real)) => Value::Real(real),
                _ => Value::Text(text),
            },
            (_, read) => read,
        }
    }
}

/// A cell of a result; texts keep at least `chars` characters, if they have them, and not many more.
pub(super) fn value(cell: Cell<'_>, chars: usize) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Boolean(value) => Value::Boolean(value),
        Cell::Integer(number) => i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Integer),
        Cell::Unsigned(number) => {
            i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Integer)
        }
        // By way of its digits, for 0.1 to stay 0.1.
        Cell::Float(number) => Value::Real(number.to_string().parse().unwrap_or(f64::from(number))),
        Cell::Double(number) => Value::Real(number),
        Cell::Blob(bytes) => Value::Bytes(bytes.len()),
        // A character has at most four bytes; one too many is kept, for the collector to see that it must cut.
        other => Value::Text(text(other, chars.saturating_add(1).saturating_mul(4))),
    }
}

/// A cell as text, of which what is beyond some `bytes` is left out; NULL is `NULL`.
pub(super) fn text(cell: Cell<'_>, bytes: usize) -> String {
    let mut writer = Writer { text: String::new(), bytes };
    writer.cell(cell);
    writer.text
}

/// Writes values as the engine does, until there is enough.
struct Writer {
    text: String,
    bytes: usize,
}

impl Writer {
    fn is_full(&self) -> bool {
        self.text.len() >= self.bytes
    }

    /// Adds to the text, which can't fail.
    fn add(&mut self, words: std::fmt::Arguments<'_>) {
        let _never_fails = self.text.write_fmt(words);
    }

    fn lossy(&mut self, bytes: &[u8]) {
        let room = self.bytes.saturating_sub(self.text.len());
        self.text.push_str(&String::from_utf8_lossy(&bytes[..bytes.len().min(room)]));
    }

    fn cell(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Null => self.text.push_str("NULL"),
            Cell::Boolean(value) => self.add(format_args!("{value}")),
            Cell::Integer(number) => self.add(format_args!("{number}")),
            Cell::Unsigned(number) => self.add(format_args!("{number}")),
            Cell::Float(number) => self.real(&format!("{number:?}")),
            Cell::Double(number) => self.real(&format!("{number:?}")),
            Cell::Text(bytes) => self.lossy(bytes),
            Cell::Blob(bytes) => self.add(format_args!("<{} bytes>", bytes.len())),
            Cell::Bit(bytes) => self.bits(bytes),
            Cell::Uuid(bits) => self.uuid(bits),
            Cell::Decimal { digits, scale } => self.decimal(digits, usize::from(scale)),
            Cell::Date(i32::MAX) => self.text.push_str("infinity"),
            Cell::Date(days) if days == -i32::MAX => self.text.push_str("-infinity"),
            Cell::Date(days) => self.date(days.into()),
            Cell::Time(time, unit) => self.time(time, unit),
            Cell::TimeWithZone(micros, offset) => {
                self.time(micros, Unit::Micros);
                self.offset(offset);
            }
            Cell::Timestamp(time, unit) => self.timestamp(time, unit, ""),
            Cell::TimestampWithZone(micros) => self.timestamp(micros, Unit::Micros, "+00"),
            Cell::Interval { months, days, micros } => self.interval(months, days, micros),
            Cell::Label(label) => self.lossy(label.as_bytes()),
            Cell::List(items) => self.sequence(('[', ']'), items, Self::inner),
            Cell::Map(keys, values) => self.sequence(('{', '}'), keys.zip(values), |writer, (key, value)| {
                writer.inner(key);
                writer.text.push('=');
                writer.inner(value);
            }),
            // A structure without names is a row.
            Cell::Struct(fields) => {
                let mut fields = fields.peekable();
                let named = fields.peek().is_none_or(|(name, _)| !name.is_empty());
                let ends = if named { ('{', '}') } else { ('(', ')') };
                self.sequence(ends, fields, |writer, (name, value)| {
                    if named {
                        writer.quoted(name);
                        writer.text.push_str(": ");
                    }
                    writer.inner(value);
                });
            }
            Cell::Unknown => self.text.push(char::REPLACEMENT_CHARACTER),
        }
    }

    fn sequence<T>(
        &mut self,
        (first, last): (char, char),
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.text.push(first);
        for (place, item) in items.enumerate() {
            if self.is_full() {
                return;
            }
            if place > 0 {
                self.text.push_str(", ");
            }
            write(self, item);
        }
        self.text.push(last);
    }

    /// A value inside another: in quotes where it could be taken for something else.
    fn inner(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Null | Cell::List(_) | Cell::Map(..) | Cell::Struct(_) => self.cell(cell),
            other => {
                let words = text(other, self.bytes.saturating_sub(self.text.len()));
                let blank =
                    |character: Option<char>| character.is_some_and(|character| character.is_ascii_whitespace());
                let needs_quotes = words.is_empty()
                    || words.eq_ignore_ascii_case("null")
                    || blank(words.chars().next())
                    || blank(words.chars().next_back())
                    || words.contains(['"', '\'', '(', ')', ',', ':', '=', '[', '\\', ']', '{', '}']);
                if needs_quotes { self.quoted(&words) } else { self.text.push_str(&words) }
            }
        }
    }

    fn quoted(&mut self, words: &str) {
        self.text.push('\'');
        for character in words.chars() {
            if ['\'', '\\'].contains(&character) {
                self.text.push('\\');
            }
            self.text.push(character);
        }
        self.text.push('\'');
    }

    /// From Rust's form: `1e-7` is `1e-07`, `1e20` is `1e+20`, and `NaN` is `nan`.
    fn real(&mut self, number: &str) {
        match number.split_once('e') {
            Some((digits, power)) => {
                let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
                self.add(format_args!("{digits}e{sign}{power:0>2}"));
            }
            None => self.text.push_str(&number.to_ascii_lowercase()),
        }
    }

    fn bits(&mut self, bytes: &[u8]) {
        let unused = usize::from(bytes.first().copied().unwrap_or(0));
        let bits = bytes.iter().skip(1).flat_map(|byte| (0..8).rev().map(move |place| byte >> place & 1 == 1));
        let room = self.bytes.saturating_sub(self.text.len());
        self.text.extend(bits.skip(unused).take(room).map(|bit| if bit { '1' } else { '0' }));
    }

    fn uuid(&mut self, bits: u128) {
        let digits = format!("{bits:032x}");
        let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
        self.add(format_args!("{a}-{b}-{c}-{d}-{e}"));
    }

    fn decimal(&mut self, digits: i128, scale: usize) {
        let sign = if digits < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        self.add(format_args!("{sign}{whole}"));
        if scale > 0 {
            self.add(format_args!(".{fraction}"));
        }
    }

    /// The day that many days from 1970-01-01 on; years before the first are `(BC)`.
    fn date(&mut self, days: i64) {
        let (year, month, day) = civil(days);
        let (year, era) = if year > 0 { (year, "") } else { (1 - year, " (BC)") };
        self.add(format_args!("{year:04}-{month:02}-{day:02}{era}"));
    }

    fn time(&mut self, since_midnight: i64, unit: Unit) {
        let (per_second, places) = unit.fraction();
        let (seconds, fraction) = (since_midnight.div_euclid(per_second), since_midnight.rem_euclid(per_second));
        self.add(format_args!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
        if fraction > 0 {
            let digits = format!("{fraction:0places$}");
            self.add(format_args!(".{}", digits.trim_end_matches('0')));
        }
    }

    fn offset(&mut self, seconds: i32) {
        let sign = if seconds < 0 { '-' } else { '+' };
        let (hours, minutes) = (seconds.unsigned_abs() / 3600, seconds.unsigned_abs() / 60 % 60);
        self.add(format_args!("{sign}{hours:02}"));
        if minutes > 0 {
            self.add(format_args!(":{minutes:02}"));
        }
    }

    fn timestamp(&mut self, time: i64, unit: Unit, zone: &str) {
        match time {
            i64::MAX => return self.text.push_str("infinity"),
            _ if time == -i64::MAX => return self.text.push_str("-infinity"),
            _ => {}
        }
        let (per_second, _) = unit.fraction();
        let per_day = DAY_SECONDS * per_second;
        self.date(time.div_euclid(per_day));
        self.text.push(' ');
        self.time(time.rem_euclid(per_day), unit);
        self.text.push_str(zone);
    }

    fn interval(&mut self, months: i32, days: i32, micros: i64) {
        let begin = self.text.len();
        for (number, word) in [(months / 12, "year"), (months % 12, "month"), (days, "day")] {
            if number != 0 {
                let blank = if self.text.len() > begin { " " } else { "" };
                let plural = if number.abs() == 1 { "" } else { "s" };
                self.add(format_args!("{blank}{number} {word}{plural}"));
            }
        }
        let is_empty = self.text.len() == begin;
        if micros != 0 || is_empty {
            let sign = if micros < 0 { "-" } else { "" };
            self.add(format_args!("{}{sign}", if is_empty { "" } else { " " }));
            self.time(i64::try_from(micros.unsigned_abs()).unwrap_or(i64::MAX), Unit::Micros);
        }
    }
}

impl Unit {
    /// How many make a second, and how many decimals that is.
    fn fraction(self) -> (i64, usize) {
        match self {
            Self::Seconds => (1, 0),
            Self::Millis => (1000, 3),
            Self::Micros => (MICROS, 6),
            Self::Nanos => (NANOS, 9),
        }
    }
}

/// Year, month and day of the Gregorian calendar, which the engine follows to all ends of time; the years 0, -1 … are 1,
/// 2 … before Christ. Howard Hinnant's `civil_from_days`: <https://howardhinnant.github.io/date_algorithms.html>.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
