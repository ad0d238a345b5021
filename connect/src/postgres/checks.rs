//! Lists of values in the text of a CHECK condition.
//!
//! PostgreSQL writes `c IN ('a', 'b')` as `CHECK ((c = ANY (ARRAY['a'::text, 'b'::text])))`. Anything that is not just
//! that gives nothing: a value that is left out would be called wrong later.

use crate::sql_text;

/// The values that a condition on one column allows, where it is a list of texts and nothing else.
pub(super) fn listed_values(condition: &str) -> Option<Vec<String>> {
    let (before, rest) = condition.split_once("= ANY (")?;
    // What stands on the left is the column, perhaps with a cast.
    if ["'", " AND ", " OR ", "NOT "].iter().any(|other| before.contains(other)) {
        return None;
    }
    let mut rest = rest.trim_start_matches('(').strip_prefix("ARRAY[")?;
    let mut values = Vec::new();
    loop {
        let (value, after) = sql_text::leading_literal(rest)?;
        values.push(value);
        rest = after;
        let end = rest.find([',', ']'])?;
        if !rest[..end].starts_with("::") {
            return None;
        }
        let ends_list = rest[end..].starts_with(']');
        rest = rest[end + 1..].trim_start();
        if ends_list {
            break;
        }
    }
    // Behind the list there are brackets and casts only.
    let is_rest = |character: char| character.is_ascii_alphabetic() || "()[]: ".contains(character);
    let only_casts = rest.chars().all(is_rest) && !rest.contains(" AND ") && !rest.contains(" OR ");
    only_casts.then_some(values)
}

#[cfg(test)]
mod tests {
    use super::listed_values;

    #[test]
    fn reads_lists_of_texts_and_nothing_else() {
        for (condition, expected) in [
            ("CHECK ((c = ANY (ARRAY['a'::text, 'it''s'::text])))", Some(vec!["a", "it's"])),
            (
                "CHECK (((c)::text = ANY ((ARRAY['a'::character varying, 'b]'::character varying])::text[])))",
                Some(vec!["a", "b]"]),
            ),
            ("CHECK (((c = ANY (ARRAY['a'::text, 'b'::text])) OR (c IS NULL)))", None),
            ("CHECK ((c <> 'a'::text))", None),
            ("CHECK ((n = ANY (ARRAY[1, 2])))", None),
            ("CHECK ((NOT (c = ANY (ARRAY['a'::text]))))", None),
        ] {
            let expected = expected.map(|values| values.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(listed_values(condition), expected, "{condition}");
        }
    }
}
