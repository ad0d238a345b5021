//! Values from the form in which the server sends the results of prepared statements.
//!
//! Invariant: what has no place among the kinds of [`Value`] becomes the text that the server itself would write, with
//! every digit, so that `0000-00-00` and a time of 800 hours are as good as any other.

use mysql_async::consts::ColumnType;
use mysql_async::{Column, Row, Value as Cell};

use crate::value::Value;

/// The number of the character set "binary": bytes, and not characters.
const BINARY: u16 = 63;

/// A text of a row; bytes that are not UTF-8 are replaced.
pub(super) fn text(row: &Row, place: usize) -> Option<String> {
    match row.as_ref(place) {
        Some(Cell::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// A whole number of a row.
pub(super) fn number(row: &Row, place: usize) -> Option<i64> {
    match row.as_ref(place) {
        Some(Cell::Int(number)) => Some(*number),
        Some(Cell::UInt(number)) => i64::try_from(*number).ok(),
        Some(Cell::Bytes(digits)) => std::str::from_utf8(digits).ok()?.parse().ok(),
        _ => None,
    }
}

/// How the cells of a column are read into samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Real,
    /// Exact, with any number of digits: a text in results, a number in samples, where figures are wanted.
    Decimal,
    /// Dates, and points in time.
    Moment,
    Time,
    Bytes,
    Text,
    /// JSON, UUID and whatever an engine adds.
    Other,
}

impl Kind {
    /// The kind of a type by its bare name.
    pub(super) fn of(data_type: &str) -> Self {
        match data_type.to_ascii_lowercase().as_str() {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" | "bit" => Self::Integer,
            "float" | "double" => Self::Real,
            "decimal" => Self::Decimal,
            "date" | "datetime" | "timestamp" => Self::Moment,
            "time" => Self::Time,
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set" => Self::Text,
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" | "vector" => Self::Bytes,
            "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring" | "multipolygon"
            | "geomcollection" | "geometrycollection" => Self::Bytes,
            _ => Self::Other,
        }
    }

    /// An expression for `column` that is never long: texts are cut at `chars`, and of bytes only the length leaves the
    /// database.
    pub(super) fn cut_to_size(self, column: &str, chars: usize) -> String {
        match self {
            Self::Bytes => format!("LENGTH({column})"),
            Self::Text => format!("LEFT({column}, {chars})"),
            // Documents of MySQL's JSON can be as long as texts.
            Self::Other => format!("LEFT(CAST({column} AS CHAR), {chars})"),
            Self::Integer | Self::Real | Self::Decimal | Self::Moment | Self::Time => column.to_owned(),
        }
    }

    /// A cell of a sample; see [`Kind::cut_to_size`].
    pub(super) fn sampled_value(self, cell: Cell, column: &Column) -> Value {
        let read = value(cell, column, usize::MAX);
        match (self, read) {
            (Self::Bytes, Value::Integer(length)) => Value::Bytes(usize::try_from(length).unwrap_or(0)),
            (Self::Decimal, Value::Text(text)) => match (text.parse(), text.parse()) {
                (Ok(whole), _) => Value::Integer(whole),
                (_, Ok(real)) => Value::Real(real),
                _ => Value::Text(text),
            },
            (_, read) => read,
        }
    }
}

/// A cell of a result; texts keep at least `chars` characters, if they have them, and not many more.
pub(super) fn value(cell: Cell, column: &Column, chars: usize) -> Value {
    match cell {
        Cell::NULL => Value::Null,
        Cell::Int(number) => Value::Integer(number),
        Cell::UInt(number) => whole(number),
        // By way of its digits, for 0.1 to stay 0.1.
        Cell::Float(number) => Value::Real(number.to_string().parse().unwrap_or(f64::from(number))),
        Cell::Double(number) => Value::Real(number),
        Cell::Date(..) | Cell::Time(..) => Value::Text(moment(&cell, column)),
        Cell::Bytes(bytes) => match column.column_type() {
            ColumnType::MYSQL_TYPE_BIT => {
                let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
                if column.column_length() == 1 { Value::Boolean(number == 1) } else { whole(number) }
            }
            ColumnType::MYSQL_TYPE_GEOMETRY | ColumnType::MYSQL_TYPE_VECTOR => Value::Bytes(bytes.len()),
            ColumnType::MYSQL_TYPE_TINY_BLOB
            | ColumnType::MYSQL_TYPE_BLOB
            | ColumnType::MYSQL_TYPE_MEDIUM_BLOB
            | ColumnType::MYSQL_TYPE_LONG_BLOB
            | ColumnType::MYSQL_TYPE_STRING
            | ColumnType::MYSQL_TYPE_VAR_STRING
            | ColumnType::MYSQL_TYPE_VARCHAR
                if column.character_set() == BINARY =>
            {
                Value::Bytes(bytes.len())
            }
            _ => Value::Text(beginning(&bytes, chars)),
        },
    }
}

/// A number that may be larger than the kind for whole numbers can hold.
fn whole(number: u64) -> Value {
    i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Integer)
}

fn beginning(bytes: &[u8], chars: usize) -> String {
    // A character has at most four bytes; one too many is kept, for the collector to see that it must cut.
    let end = chars.saturating_add(1).saturating_mul(4).min(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A date or a time in the server's own form, with as many decimals as its column has.
fn moment(cell: &Cell, column: &Column) -> String {
    let fraction = |micros: u32| match column.decimals() {
        0 => String::new(),
        places @ 1..=6 => format!(".{}", &format!("{micros:06}")[..usize::from(places)]),
        _ if micros == 0 => String::new(),
        _ => format!(".{micros:06}"),
    };
    match *cell {
        Cell::Date(year, month, day, hour, minute, second, micros) => match column.column_type() {
            ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE => format!("{year:04}-{month:02}-{day:02}"),
            _ => {
                let fraction = fraction(micros);
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction}")
            }
        },
        Cell::Time(negative, days, hours, minutes, seconds, micros) => {
            let (sign, fraction) = (if negative { "-" } else { "" }, fraction(micros));
            format!("{sign}{:02}:{minutes:02}:{seconds:02}{fraction}", days * 24 + u32::from(hours))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use mysql_async::consts::ColumnType;
    use mysql_async::{Column, Value as Cell};

    use super::{Kind, value};
    use crate::value::Value;

    fn column(kind: ColumnType) -> Column {
        Column::new(kind).with_character_set(45)
    }

    #[test]
    fn reads_each_kind() {
        let text = |text: &str| Value::Text(text.to_owned());
        let datetime = column(ColumnType::MYSQL_TYPE_DATETIME);
        for (cell, column, expected) in [
            (Cell::NULL, column(ColumnType::MYSQL_TYPE_LONG), Value::Null),
            (Cell::UInt(u64::MAX), column(ColumnType::MYSQL_TYPE_LONGLONG), text("18446744073709551615")),
            (Cell::Float(0.1), column(ColumnType::MYSQL_TYPE_FLOAT), Value::Real(0.1)),
            (Cell::Date(0, 0, 0, 0, 0, 0, 0), column(ColumnType::MYSQL_TYPE_DATE), text("0000-00-00")),
            (Cell::Date(0, 0, 0, 0, 0, 0, 0), datetime.clone(), text("0000-00-00 00:00:00")),
            (Cell::Date(9999, 12, 31, 23, 59, 59, 120_000), datetime.with_decimals(2), text("9999-12-31 23:59:59.12")),
            (Cell::Time(true, 34, 22, 59, 59, 0), column(ColumnType::MYSQL_TYPE_TIME), text("-838:59:59")),
            (Cell::Bytes(vec![1, 0]), column(ColumnType::MYSQL_TYPE_BIT).with_column_length(9), Value::Integer(256)),
            (Cell::Bytes(vec![1]), column(ColumnType::MYSQL_TYPE_BIT).with_column_length(1), Value::Boolean(true)),
            (Cell::Bytes(b"1.10".to_vec()), column(ColumnType::MYSQL_TYPE_NEWDECIMAL), text("1.10")),
            (Cell::Bytes(vec![0; 3]), column(ColumnType::MYSQL_TYPE_BLOB).with_character_set(63), Value::Bytes(3)),
            (Cell::Bytes(vec![0; 25]), column(ColumnType::MYSQL_TYPE_GEOMETRY), Value::Bytes(25)),
        ] {
            assert_eq!(value(cell.clone(), &column, 100), expected, "{cell:?}");
        }
    }

    #[test]
    fn samples_numbers_as_numbers() {
        let decimal = column(ColumnType::MYSQL_TYPE_NEWDECIMAL);
        for (text, expected) in [("42", Value::Integer(42)), ("1.50", Value::Real(1.5))] {
            assert_eq!(Kind::Decimal.sampled_value(Cell::Bytes(text.into()), &decimal), expected);
        }
    }
}
