//! Values from the text in which the server writes them.
//!
//! Text is the one form that every type has, also those that an extension adds, so nothing is ever undecodable.
//! Invariant: what has no place among the kinds of [`Value`] keeps the server's text, with every digit.

use tokio_postgres::types::{FromSql, Type, accepts};

use crate::value::Value;

/// How the text of a type is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Integer,
    Real,
    /// Exact, with any number of digits: a text in results, a number in samples, where figures are wanted.
    Numeric,
    Bytes,
    Text,
}

impl Kind {
    /// The kind of a type that is no domain.
    pub(super) fn of(schema: &str, name: &str) -> Self {
        match name {
            _ if schema != "pg_catalog" => Self::Text,
            "bool" => Self::Boolean,
            "int2" | "int4" | "int8" | "oid" => Self::Integer,
            "float4" | "float8" => Self::Real,
            "numeric" => Self::Numeric,
            "bytea" => Self::Bytes,
            _ => Self::Text,
        }
    }

    /// A value of a result; texts keep at least `chars` characters, if they have them, and not many more.
    pub(super) fn value(self, text: &str, chars: usize) -> Value {
        let read = match self {
            Self::Boolean => Some(Value::Boolean(text == "t" || text == "true")),
            Self::Integer => text.parse().ok().map(Value::Integer),
            Self::Real => text.parse().ok().map(Value::Real),
            // `\x` and two digits a byte.
            Self::Bytes => Some(Value::Bytes(text.len().saturating_sub(2) / 2)),
            Self::Numeric | Self::Text => None,
        };
        read.unwrap_or_else(|| {
            let end = text.char_indices().nth(chars.saturating_add(1)).map_or(text.len(), |(end, _)| end);
            Value::Text(text[..end].to_owned())
        })
    }

    /// A value of a sample; see [`Kind::cut_to_size`].
    pub(super) fn sampled_value(self, text: &str) -> Value {
        match self {
            Self::Bytes => Value::Bytes(text.parse().unwrap_or(0)),
            Self::Numeric => match (text.parse(), text.parse()) {
                (Ok(whole), _) => Value::Integer(whole),
                (_, Ok(real)) => Value::Real(real),
                _ => Value::Text(text.to_owned()),
            },
            other => other.value(text, usize::MAX),
        }
    }

    /// An expression for the text of `column` that is never long: texts are cut at `chars`, and of bytes only the
    /// length leaves the database.
    pub(super) fn cut_to_size(self, column: &str, chars: usize) -> String {
        match self {
            Self::Bytes => format!("octet_length({column})::text"),
            _ => format!("\"left\"({column}::text, {chars})"),
        }
    }
}

/// A text that may hold bytes that are not UTF-8, as databases with the encoding SQL_ASCII do.
#[derive(Debug)]
pub(super) struct Lossy(pub(super) String);

impl<'a> FromSql<'a> for Lossy {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(String::from_utf8_lossy(raw).into_owned()))
    }

    accepts!(TEXT, JSON);
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use crate::value::Value;

    #[test]
    fn reads_each_kind() {
        for (name, text, expected) in [
            ("bool", "t", Value::Boolean(true)),
            ("bool", "f", Value::Boolean(false)),
            ("int8", "-9223372036854775808", Value::Integer(i64::MIN)),
            ("oid", "4294967295", Value::Integer(4_294_967_295)),
            ("float8", "-Infinity", Value::Real(f64::NEG_INFINITY)),
            ("float4", "0.1", Value::Real(0.1)),
            ("numeric", "1.10", Value::Text("1.10".into())),
            ("bytea", "\\x00ff", Value::Bytes(2)),
            ("bytea", "\\x", Value::Bytes(0)),
            ("timestamptz", "infinity", Value::Text("infinity".into())),
        ] {
            assert_eq!(Kind::of("pg_catalog", name).value(text, 100), expected, "{name} {text}");
        }
        assert!(matches!(Kind::Real.value("NaN", 100), Value::Real(number) if number.is_nan()));
        assert_eq!(Kind::of("public", "bool"), Kind::Text);
    }

    #[test]
    fn keeps_one_character_too_many_for_the_cut_to_be_seen() {
        assert_eq!(Kind::Text.value("añbcd", 2), Value::Text("añb".into()));
    }

    #[test]
    fn samples_numbers_as_numbers() {
        for (text, expected) in [
            ("42", Value::Integer(42)),
            ("1.50", Value::Real(1.5)),
            ("123456789012345678901234567890", Value::Real(123_456_789_012_345_678_901_234_567_890.0)),
            ("Infinity", Value::Real(f64::INFINITY)),
        ] {
            assert_eq!(Kind::Numeric.sampled_value(text), expected);
        }
        assert_eq!(Kind::Bytes.sampled_value("20"), Value::Bytes(20));
    }
}
