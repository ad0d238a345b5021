//! Several statements in one text, as people type them and files hold them: where each one ends.

use catalog::Dialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::parser::parser_of;
use crate::span::Lines;

/// The first statement of a text, without its semicolon, and what stands behind that; `None` as long as it hasn't ended, be it
/// that a text, a name in quotes or a comment is still open.
pub fn next_statement<'t>(text: &'t str, dialect: &Dialect) -> Option<(&'t str, &'t str)> {
    let parser = parser_of(dialect);
    let mut tokens = Vec::new();
    // Behind the semicolon something may be open that ends in a line to come.
    let _ = Tokenizer::new(parser.as_ref(), text).tokenize_with_location_into_buf(&mut tokens);
    let end = tokens.iter().find(|token| token.token == Token::SemiColon)?;
    let span = Lines::of(text).span(end.span)?;
    Some((text.get(..span.start)?, text.get(span.end..)?))
}

#[cfg(test)]
mod tests {
    use catalog::Dialect;

    use super::next_statement;

    #[test]
    fn a_statement_ends_at_a_semicolon_outside_of_texts_and_comments() {
        for (text, expected) in [
            ("SELECT 1;", Some(("SELECT 1", ""))),
            ("SELECT 1; SELECT 'an open", Some(("SELECT 1", " SELECT 'an open"))),
            (
                "SELECT ';' -- no; end\n, \"a;b\" /* ; */;\nrest",
                Some(("SELECT ';' -- no; end\n, \"a;b\" /* ; */", "\nrest")),
            ),
            ("SELECT 'é;", None),
            ("SELECT 1", None),
            ("", None),
        ] {
            assert_eq!(next_statement(text, &Dialect::Sqlite), expected, "{text}");
        }
        let escaped = "SELECT 'it\\'s; one' ; x";
        assert_eq!(next_statement(escaped, &Dialect::Mysql), Some(("SELECT 'it\\'s; one' ", " x")));
    }
}
