//! Patterns with stars, as configuration writes them for tables, columns and functions.

use wildmatch::WildMatchPattern;

/// No character of a name stands for any one character: `?` is a character like any other.
const NO_CHARACTER: char = '\0';

/// Whether `text` has the form of `pattern`, in any case; `*` stands for any characters, also none, and nothing else is special.
pub fn matches_glob(pattern: &str, text: &str) -> bool {
    WildMatchPattern::<'*', NO_CHARACTER>::new(&pattern.to_lowercase()).matches(&text.to_lowercase())
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
            ("", "", true),
            ("", "a", false),
            ("a?c", "abc", false),
            ("a?c", "a?c", true),
            ("users.email", "Users.Email", true),
            ("users.email", "users.email2", false),
            ("*.ssn", "people.ssn", true),
            ("hr.*", "hr.salaries", true),
            ("*pass*", "users.password_hash", true),
            ("*größe", "MAX_GRÖSSE", false),
            ("*größe", "MAX_GRÖßE", true),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
