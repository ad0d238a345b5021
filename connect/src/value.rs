//! One cell of a result, in the few kinds that every engine's values can be turned into.

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A value as it left the database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction; may be infinite.
    Real(#[serde(with = "bits")] f64),
    /// Characters. May have been cut: see [`crate::Limits::cell_chars`]. Bytes that were not UTF-8 are U+FFFD.
    Text(String),
    /// Bytes, or a text too long to be fetched at all: only the length, in bytes, ever leaves the database.
    Bytes(usize),
    /// True or false.
    Boolean(bool),
}

/// A number as the bits that it has: JSON has no infinities, and rounds.
mod bits {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.to_bits().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

impl Value {
    /// The text form that profiles and prompts show; `None` for NULL. Infinities are `Infinity` and `-Infinity`,
    /// bytes `<12 bytes>`.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Integer(value) => Some(value.to_string()),
            Self::Real(value) => Some(real_text(*value)),
            Self::Text(value) => Some(value.clone()),
            Self::Bytes(length) => Some(format!("<{length} bytes>")),
            Self::Boolean(value) => Some(value.to_string()),
        }
    }

    /// The JSON form. What JSON can't say (infinities, bytes) becomes the text form.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Integer(value) => (*value).into(),
            Self::Real(value) => match Number::from_f64(*value) {
                Some(number) => serde_json::Value::Number(number),
                None => real_text(*value).into(),
            },
            Self::Text(value) => value.clone().into(),
            Self::Bytes(length) => format!("<{length} bytes>").into(),
            Self::Boolean(value) => (*value).into(),
        }
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Roughly what the value adds to a reply, in bytes.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) => 4,
            Self::Integer(_) | Self::Real(_) | Self::Bytes(_) => 8,
            Self::Text(value) => value.len() + 2,
        }
    }
}

/// The shortest text that reads back as the same number, always with a point or an exponent: `7.0`, `0.1`, `1e300`.
fn real_text(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn shows_each_kind_as_text_and_as_json() {
        for (value, text, json) in [
            (Value::Null, None, "null"),
            (Value::Integer(i64::MIN), Some("-9223372036854775808"), "-9223372036854775808"),
            (Value::Real(7.0), Some("7.0"), "7.0"),
            (Value::Real(f64::INFINITY), Some("Infinity"), "\"Infinity\""),
            (Value::Real(f64::NEG_INFINITY), Some("-Infinity"), "\"-Infinity\""),
            (Value::Text("a\"b".into()), Some("a\"b"), r#""a\"b""#),
            (Value::Bytes(3), Some("<3 bytes>"), "\"<3 bytes>\""),
            (Value::Boolean(true), Some("true"), "true"),
        ] {
            assert_eq!(value.as_text().as_deref(), text);
            assert_eq!(value.to_json().to_string(), json);
        }
    }
}
