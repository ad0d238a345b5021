//! Types by their names, and values from the texts that the server writes.
//!
//! Invariant: what has no place among the kinds of [`Value`] stays the text that the server wrote, with every digit.

use catalog::TypeClass;

use crate::value::Value;

/// How NULL is written among texts. In a column that can't be NULL it is a text like any other.
const NULL: &str = "ᴺᵁᴸᴸ";

/// A type, without what is wrapped around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnType {
    /// As the server writes it, without `Nullable`, `LowCardinality` and `SimpleAggregateFunction`.
    pub(super) base: String,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
}

/// How the cells of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// A number of days, months …
    Interval,
    Real,
    /// Exact, with any number of digits: a text in results, a number in samples, where figures are wanted.
    Decimal,
    Boolean,
    /// Dates, times, points in time, UUIDs and addresses: short texts.
    Short,
    /// One of the names that the type lists.
    Enum,
    Text,
    /// A text filled up with zero bytes.
    FixedText,
    /// The state of an aggregate function.
    State,
    /// Arrays, tuples, maps, JSON, and what an engine adds.
    Nested,
}

impl ColumnType {
    /// Reads the name of a type.
    pub(super) fn of(words: &str) -> Self {
        let (mut base, mut nullable) = (words.trim(), false);
        loop {
            let inner = |wrapper: &str| base.strip_prefix(wrapper)?.strip_prefix('(')?.strip_suffix(')');
            if let Some(inner) = inner("Nullable") {
                (base, nullable) = (inner.trim(), true);
            } else if let Some(inner) = inner("LowCardinality") {
                base = inner.trim();
            } else if let Some(arguments) = inner("SimpleAggregateFunction") {
                // The function, and the type of what it gives.
                base = split_top_level(arguments).get(1).copied().unwrap_or_default();
            } else {
                break;
            }
        }
        let name = base.split('(').next().unwrap_or_default();
        let kind = match name {
            _ if name.starts_with("Interval") => Kind::Interval,
            _ if name.starts_with("Int") || name.starts_with("UInt") => Kind::Integer,
            "Float32" | "Float64" | "BFloat16" => Kind::Real,
            _ if name.starts_with("Decimal") => Kind::Decimal,
            "Bool" => Kind::Boolean,
            "Date" | "Date32" | "DateTime" | "DateTime64" | "Time" | "Time64" | "UUID" | "IPv4" | "IPv6" => Kind::Short,
            "Enum8" | "Enum16" => Kind::Enum,
            "String" => Kind::Text,
            "FixedString" => Kind::FixedText,
            "AggregateFunction" => Kind::State,
            _ => Kind::Nested,
        };
        // These say in each row what it holds, which may be nothing.
        let nullable = nullable || matches!(name, "Variant" | "Dynamic" | "Nothing");
        Self { base: base.to_owned(), kind, nullable }
    }

    /// The class for everybody above.
    pub(super) fn class(&self) -> TypeClass {
        let name = self.base.split('(').next().unwrap_or_default();
        match self.kind {
            Kind::Interval => TypeClass::Other,
            Kind::Integer => TypeClass::Integer,
            Kind::Real | Kind::Decimal => TypeClass::Real,
            Kind::Boolean => TypeClass::Boolean,
            Kind::Enum | Kind::Text | Kind::FixedText => TypeClass::Text,
            Kind::State => TypeClass::Binary,
            Kind::Short | Kind::Nested => match name {
                "Date" | "Date32" => TypeClass::Date,
                "DateTime" | "DateTime64" => TypeClass::Timestamp,
                "Time" | "Time64" => TypeClass::Time,
                "UUID" => TypeClass::Uuid,
                "IPv4" | "IPv6" => TypeClass::Text,
                "JSON" | "Object" | "Map" | "Tuple" | "Nested" => TypeClass::Json,
                _ => TypeClass::Other,
            },
        }
    }

    /// The names that an enum type lists, in its order.
    pub(super) fn enum_values(&self) -> Vec<String> {
        let arguments = self.base.split_once('(').and_then(|(_, arguments)| arguments.strip_suffix(')'));
        match (self.kind, arguments) {
            (Kind::Enum, Some(arguments)) => split_top_level(arguments).into_iter().filter_map(quoted_text).collect(),
            _ => Vec::new(),
        }
    }

    /// A cell as a text; `None` for NULL.
    pub(super) fn text(&self, cell: String) -> Option<String> {
        (!self.nullable || cell != NULL).then_some(cell)
    }

    /// A cell of a result.
    fn value(&self, cell: String) -> Value {
        let Some(text) = self.text(cell) else { return Value::Null };
        match self.kind {
            Kind::Integer | Kind::Interval => text.parse().map_or_else(|_| Value::Text(text), Value::Integer),
            Kind::Real => text.parse().map_or_else(|_| Value::Text(text), Value::Real),
            Kind::Boolean => match text.as_str() {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => Value::Text(text),
            },
            Kind::FixedText => Value::Text(text.trim_end_matches('\0').to_owned()),
            Kind::State => Value::Bytes(text.len()),
            Kind::Decimal | Kind::Short | Kind::Enum | Kind::Text | Kind::Nested => Value::Text(text),
        }
    }

    /// An expression for `column` that is never long: texts are cut at `chars`, and of bytes only the length leaves the
    /// database.
    pub(super) fn cut_to_size(&self, column: &str, chars: usize) -> String {
        match self.kind {
            Kind::Text => format!("substringUTF8({column}, 1, {chars})"),
            Kind::FixedText | Kind::Nested => format!("substringUTF8(toString({column}), 1, {chars})"),
            Kind::State => format!("byteSize({column})"),
            _ => column.to_owned(),
        }
    }

    /// A cell of a sample, which came as `sent`; see [`ColumnType::cut_to_size`].
    pub(super) fn sampled_value(&self, sent: &Self, cell: String) -> Value {
        match (self.kind, sent.value(cell)) {
            (Kind::State, Value::Integer(length)) => Value::Bytes(usize::try_from(length).unwrap_or(0)),
            (Kind::Decimal, Value::Text(text)) => match (text.parse(), text.parse()) {
                (Ok(whole), _) => Value::Integer(whole),
                (_, Ok(real)) => Value::Real(real),
                _ => Value::Text(text),
            },
            (_, value) => value,
        }
    }
}

/// The cells of a row of a result.
pub(super) fn cells(types: &[ColumnType], cells: Vec<String>) -> Vec<Value> {
    cells.into_iter().zip(types).map(|(cell, kind)| kind.value(cell)).collect()
}

/// The parts of a list, at the commas that are inside neither brackets nor quotes.
pub(super) fn split_top_level(list: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut quote, mut escaped) = (Vec::new(), 0, 0_usize, None, false);
    for (place, character) in list.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '`' | '"') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(list[begin..place].trim());
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(list[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The text that stands in quotes at the beginning of `words`, with its escapes read; quotes may be `'` or `` ` ``.
pub(super) fn quoted_text(words: &str) -> Option<String> {
    let mut characters = words.chars();
    let quote = characters.next().filter(|quote| "'`\"".contains(*quote))?;
    let mut text = String::new();
    loop {
        match characters.next()? {
            '\\' => text.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                'b' => '\u{8}',
                'f' => '\u{c}',
                other => other,
            }),
            end if end == quote => return Some(text),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::TypeClass;

    use super::{ColumnType, Kind, quoted_text, split_top_level};
    use crate::value::Value;

    #[test]
    fn tells_what_a_type_is_whatever_is_wrapped_around_it() {
        for (words, class, nullable) in [
            ("UInt8", TypeClass::Integer, false),
            ("Nullable(Int256)", TypeClass::Integer, true),
            ("LowCardinality(Nullable(String))", TypeClass::Text, true),
            ("FixedString(16)", TypeClass::Text, false),
            ("Decimal(10, 2)", TypeClass::Real, false),
            ("BFloat16", TypeClass::Real, false),
            ("Bool", TypeClass::Boolean, false),
            ("Enum8('date' = 1, 'int' = 2)", TypeClass::Text, false),
            ("DateTime64(3, 'Europe/Berlin')", TypeClass::Timestamp, false),
            ("Date32", TypeClass::Date, false),
            ("Time64(3)", TypeClass::Time, false),
            ("UUID", TypeClass::Uuid, false),
            ("IPv6", TypeClass::Text, false),
            ("Array(Nullable(String))", TypeClass::Other, false),
            ("Map(String, Array(UInt8))", TypeClass::Json, false),
            ("Tuple(a UInt8, b Nullable(String))", TypeClass::Json, false),
            ("JSON(max_dynamic_paths=8)", TypeClass::Json, false),
            ("Variant(String, UInt8)", TypeClass::Other, true),
            ("AggregateFunction(sum, UInt8)", TypeClass::Binary, false),
            ("SimpleAggregateFunction(anyLast, Nullable(DateTime('UTC')))", TypeClass::Timestamp, true),
            ("IntervalDay", TypeClass::Other, false),
            ("Point", TypeClass::Other, false),
        ] {
            let found = ColumnType::of(words);
            assert_eq!((found.class(), found.nullable), (class, nullable), "{words}");
        }
    }

    #[test]
    fn reads_each_kind() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (words, cell, expected) in [
            ("Int64", "-9223372036854775808", Value::Integer(i64::MIN)),
            ("UInt64", "18446744073709551615", text("18446744073709551615")),
            ("Float32", "0.1", Value::Real(0.1)),
            ("Float64", "-inf", Value::Real(f64::NEG_INFINITY)),
            ("Decimal(4, 2)", "1.50", text("1.50")),
            ("Nullable(String)", "ᴺᵁᴸᴸ", Value::Null),
            ("String", "ᴺᵁᴸᴸ", text("ᴺᵁᴸᴸ")),
            ("FixedString(4)", "ab\0\0", text("ab")),
            ("Bool", "true", Value::Boolean(true)),
            ("AggregateFunction(sum, UInt8)", "abc", Value::Bytes(3)),
            ("Array(UInt8)", "[1,2]", text("[1,2]")),
        ] {
            assert_eq!(ColumnType::of(words).value(cell.to_owned()), expected, "{words} {cell}");
        }
        let nan = ColumnType::of("Float64").value("nan".to_owned());
        assert!(matches!(nan, Value::Real(number) if number.is_nan()));
        let (decimal, size) = (ColumnType::of("Decimal(4, 2)"), ColumnType::of("UInt64"));
        assert_eq!(decimal.sampled_value(&decimal, "1.50".to_owned()), Value::Real(1.5));
        assert_eq!(ColumnType::of("AggregateFunction(sum, UInt8)").sampled_value(&size, "16".into()), Value::Bytes(16));
    }

    #[test]
    fn reads_lists_with_their_quotes() {
        let listed = ColumnType::of(r"Enum16('a,\'(' = -1, 'añ\\' = 2)").enum_values();
        assert_eq!(listed, ["a,'(", "añ\\"]);
        assert_eq!(split_top_level("toDate(at), `a,b`, (c, d)"), ["toDate(at)", "`a,b`", "(c, d)"]);
        assert_eq!(quoted_text("`a\\`b` DESC").as_deref(), Some("a`b"));
        assert_eq!((quoted_text("plain"), ColumnType::of("String").kind), (None, Kind::Text));
    }
}
