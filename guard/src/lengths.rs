//! How long what is said about a statement may be: names and words of an engine can be as long as a statement.
//!
//! Whoever reads a finding or a result pays for every letter, and cells have a limit of their own. What is cut says so.
//! Invariant: what is made here is at most so long and a mark longer than its limit.

use connect::ResultSet;

/// Letters of the name of a result's column.
pub const LONGEST_NAME: usize = 300;
/// Letters of a sentence about a statement, names and an engine's words in it included.
pub const LONGEST_SENTENCE: usize = 1_000;

/// The text, cut at a number of letters with a word on how many are left out.
pub fn cut(text: String, letters: usize) -> String {
    // Bytes are no fewer than letters, and mostly settle it.
    if text.len() <= letters {
        return text;
    }
    let Some((end, _)) = text.char_indices().nth(letters) else { return text };
    let left_out = text[end..].chars().count();
    format!("{}… ({left_out} more letters)", &text[..end])
}

/// The result with names of columns that can be read.
pub(crate) fn with_short_names(mut result: ResultSet) -> ResultSet {
    result.columns = result.columns.into_iter().map(|name| cut(name, LONGEST_NAME)).collect();
    result
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn what_is_too_long_is_cut_between_letters_and_says_so() {
        assert_eq!(cut("short".to_owned(), 5), "short");
        assert_eq!(cut("üüü".to_owned(), 3), "üüü");
        assert_eq!(cut("üüüü!".to_owned(), 3), "üüü… (2 more letters)");
        assert_eq!(cut("x".repeat(500_000), 300).len(), 300 + "… (499700 more letters)".len());
    }
}
