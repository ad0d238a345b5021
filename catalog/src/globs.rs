//! Patterns with stars, as configuration writes them for tables and columns: the same in every room.
//!
//! Invariant: a star stands for any characters, also none, and nothing else is special.

/// Whether `text` has the form of `pattern`, in any case; `*` stands for any characters, also none.
pub fn matches_glob(pattern: &str, text: &str) -> bool {
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
    fn stars_stand_for_any_run_of_characters() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "anything", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "ac", false),
            ("*b", "ab", true),
            ("ab", "abc", false),
            ("a*a", "a", false),
            ("a**", "ab", true),
            ("users.email", "Users.Email", true),
            ("users.email", "users.email2", false),
            ("*.ssn", "people.ssn", true),
            ("hr.*", "hr.salaries", true),
            ("*pass*", "users.password_hash", true),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
