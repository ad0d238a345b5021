//! What a person has typed: a question, a statement, or the beginning of one.

use catalog::Dialect;
use sql::next_statement;

/// Whether a line is a question and no statement: it begins with no word that statements begin with, or with one that people
/// begin with, too, and goes on as people do.
pub(super) fn is_question(text: &str) -> bool {
    const STATEMENTS: [&str; 32] = [
        "alter",
        "analyze",
        "attach",
        "begin",
        "call",
        "comment",
        "commit",
        "copy",
        "create",
        "delete",
        "desc",
        "describe",
        "drop",
        "exec",
        "execute",
        "explain",
        "from",
        "grant",
        "insert",
        "merge",
        "pivot",
        "pragma",
        "replace",
        "revoke",
        "rollback",
        "select",
        "set",
        "summarize",
        "table",
        "truncate",
        "values",
        "with",
    ];
    const SHOWN: [&str; 8] = ["columns", "create", "databases", "full", "index", "indexes", "schemas", "tables"];
    let mut words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    let (first, second) = (words.next().unwrap_or_default().to_lowercase(), words.next().unwrap_or_default());
    // What begins with a bracket, a comment or a quote is no sentence.
    if !first.starts_with(char::is_alphabetic) || text.ends_with(';') {
        return false;
    }
    match first.as_str() {
        "show" => !SHOWN.contains(&second.to_lowercase().as_str()),
        "quit" | "exit" | "help" | "use" | "update" | "unpivot" => false,
        first => !STATEMENTS.contains(&first),
    }
}

/// Whether what was typed can be done, or goes on in the next line.
pub(super) fn is_whole(text: &str, dialect: &Dialect) -> bool {
    let text = text.trim();
    let is_word = ["quit", "exit", "help"].iter().any(|word| text.eq_ignore_ascii_case(word)) || is_question(text);
    let mut rest = text;
    while let Some((_, behind)) = next_statement(rest, dialect) {
        rest = behind;
    }
    rest.trim().is_empty() || text.starts_with(['\\', '.']) || is_word
}

#[cfg(test)]
mod tests {
    use catalog::Dialect;

    use super::is_whole;

    #[test]
    fn a_line_is_done_when_its_last_statement_has_ended() {
        for (text, expected) in [
            ("", true),
            ("\\d customers", true),
            ("exit", true),
            (".tables", true),
            ("SELECT 1", false),
            ("SELECT 1;", true),
            ("SELECT 1; SELECT", false),
            ("SELECT ';", false),
            ("how many orders are there?", true),
            ("show me the orders", true),
            ("show tables", false),
            ("(SELECT 1", false),
            ("-- a remark", false),
        ] {
            assert_eq!(is_whole(text, &Dialect::Sqlite), expected, "{text}");
        }
    }
}
