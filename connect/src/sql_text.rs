//! Parts of the SQL that engines write themselves, as in the text of a condition.

/// The string literal that `text` begins with, in standard SQL where a doubled quote is one, and what follows it.
pub(crate) fn leading_literal(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut value = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        value.push_str(part);
        match after.strip_prefix('\'') {
            Some(doubled) => {
                value.push('\'');
                rest = doubled;
            }
            None => return Some((value, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::leading_literal;

    #[test]
    fn a_literal_ends_at_a_quote_that_is_not_doubled() {
        for (text, expected) in [
            ("'a', 'b'", Some(("a", ", 'b'"))),
            ("'it''s'::text", Some(("it's", "::text"))),
            ("''", Some(("", ""))),
            ("''''", Some(("'", ""))),
            ("'open", None),
            ("a", None),
        ] {
            let found = leading_literal(text);
            assert_eq!(found.as_ref().map(|(value, rest)| (value.as_str(), *rest)), expected, "{text}");
        }
    }
}
