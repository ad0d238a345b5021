//! Patterns of the configuration: `table.column` with `*` for any characters, in any case.

use catalog::{Column, Table};

/// Whether the pattern means that column, with the table's schema or without.
pub(crate) fn names_column(pattern: &str, table: &Table, column: &Column) -> bool {
    let local = format!("{}.{}", table.id.name, column.name);
    matches_glob(pattern, &local) || matches_glob(pattern, &format!("{}.{}", table.id.local(), column.name))
}

/// Whether `text` has the form of `pattern`, in any case; `*` stands for any characters, also none.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(position) => rest = &rest[position + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches_glob;

    #[test]
    fn globs_match_as_people_expect() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "ac", false),
            ("*b", "ab", true),
            ("ab", "abc", false),
            ("a*a", "a", false),
            ("a**", "ab", true),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
