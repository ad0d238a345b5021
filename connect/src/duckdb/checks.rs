//! Lists of values: in the text of a CHECK condition, and of an enum type.
//!
//! The engine writes `c IN ('a', 'b')` as `(c IN ('a', 'b'))`. Anything that is not just that gives nothing: a value that
//! is left out would be called wrong later.

use super::ddl::plain_name;
use crate::sql_text;

/// The column and the values of a condition that is a list of texts and nothing else.
pub(super) fn listed_values(condition: &str) -> Option<(String, Vec<String>)> {
    let inner = condition.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (column, list) = inner.rsplit_once(" IN (")?;
    Some((plain_name(column)?, texts(list.strip_suffix(')')?)?))
}

/// The labels of `ENUM('a', 'b')`, in order; none of any other type.
pub(super) fn enum_labels(data_type: &str) -> Vec<String> {
    let list = data_type.strip_prefix("ENUM(").and_then(|rest| rest.strip_suffix(')'));
    list.and_then(texts).unwrap_or_default()
}

/// `'a', 'it''s'` taken apart.
fn texts(list: &str) -> Option<Vec<String>> {
    let mut rest = list;
    let mut values = Vec::new();
    loop {
        let (value, after) = sql_text::leading_literal(rest)?;
        values.push(value);
        rest = after;
        if rest.is_empty() {
            return Some(values);
        }
        rest = rest.strip_prefix(", ")?;
    }
}

#[cfg(test)]
mod tests {
    use super::{enum_labels, listed_values};

    #[test]
    fn reads_lists_of_texts_and_nothing_else() {
        for (condition, expected) in [
            ("(c IN ('a', 'b''c, d'))", Some(("c", vec!["a", "b'c, d"]))),
            ("(\"my c\" IN ('a'))", Some(("my c", vec!["a"]))),
            ("((c = 'a') OR (c = 'b'))", None),
            ("((c IN ('a', 'b')) AND (c != 'b'))", None),
            ("((c IN ('a', 'b')) OR (c IN ('c')))", None),
            ("(c NOT IN ('a'))", None),
            ("(upper(c) IN ('A'))", None),
            ("(c IN (1, 2))", None),
        ] {
            let expected = expected.map(|(column, values): (&str, Vec<&str>)| {
                (column.to_owned(), values.into_iter().map(str::to_owned).collect::<Vec<_>>())
            });
            assert_eq!(listed_values(condition), expected, "{condition}");
        }
    }

    #[test]
    fn reads_the_labels_of_an_enum() {
        assert_eq!(enum_labels("ENUM('sad, x', 'o''k')"), ["sad, x", "o'k"]);
        assert!(enum_labels("ENUM('a')[]").is_empty());
    }
}
