//! What the text of a CHECK condition says about a column: a list of values, or that it holds JSON.
//!
//! MariaDB writes ``c in ('a','b')`` with the column in backticks, MySQL `(c in (_utf8mb4\'a\',_utf8mb4\'b\'))`.
//! Anything that is not just that gives nothing: a value that is left out would be called wrong later.

/// What a condition on one column says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Which texts it may hold.
    Values(Vec<String>),
    /// It is MariaDB's JSON, which is a text with such a condition.
    Json,
}

/// The column that a condition is about and what it says of it. `escaped` is how MySQL lists conditions: with a
/// backslash before each quote and each backslash.
pub(super) fn read(condition: &str, escaped: bool) -> Option<(String, Said)> {
    let condition = if escaped { unescaped(condition) } else { condition.to_owned() };
    let bare = without_brackets(condition.trim());
    if let Some(column) = bare.strip_prefix("json_valid(").and_then(|rest| rest.strip_suffix(')')) {
        return quoted_name(column).filter(|(_, rest)| rest.is_empty()).map(|(column, _)| (column, Said::Json));
    }
    let (column, rest) = quoted_name(bare)?;
    let list = rest.strip_prefix(" in (")?.strip_suffix(')')?;
    let (values, rest) = texts(list)?;
    (rest.is_empty() && !values.is_empty()).then_some((column, Said::Values(values)))
}

/// The labels of an ENUM, from the words for its type: `enum('a','b')`.
pub(super) fn enum_labels(column_type: &str) -> Vec<String> {
    let list = column_type.strip_prefix("enum(").and_then(|rest| rest.strip_suffix(')'));
    list.and_then(texts).filter(|(_, rest)| rest.is_empty()).map(|(labels, _)| labels).unwrap_or_default()
}

/// The texts that `list` begins with, and what follows them.
fn texts(list: &str) -> Option<(Vec<String>, &str)> {
    let mut values = Vec::new();
    let mut rest = list;
    loop {
        // MySQL names the character set before each text.
        let at = rest.find('\'')?;
        let introducer = &rest[..at];
        if !introducer.chars().all(|character| character == '_' || character.is_ascii_alphanumeric()) {
            return None;
        }
        let (value, after) = text(&rest[at + 1..])?;
        values.push(value);
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return Some((values, after)),
        }
    }
}

/// A text up to its closing quote, and what follows.
fn text(rest: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' if rest[at + 1..].starts_with('\'') => {
                characters.next();
                value.push('\'');
            }
            '\'' => return Some((value, &rest[at + 1..])),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                other => other,
            }),
            other => value.push(other),
        }
    }
    None
}

/// A quoted name at the beginning, and what follows. MariaDB quotes as the server's `sql_mode` has it.
fn quoted_name(words: &str) -> Option<(String, &str)> {
    let quote = words.chars().next().filter(|first| ['`', '"'].contains(first))?;
    let inner = &words[1..];
    let end = inner.find(quote).filter(|&end| !inner[end + 1..].starts_with(quote))?;
    Some((inner[..end].to_owned(), &inner[end + 1..]))
}

fn without_brackets(condition: &str) -> &str {
    let inner = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.map_or(condition, str::trim)
}

fn unescaped(condition: &str) -> String {
    let mut plain = String::with_capacity(condition.len());
    let mut characters = condition.chars();
    while let Some(character) = characters.next() {
        plain.push(if character == '\\' { characters.next().unwrap_or('\\') } else { character });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Said, enum_labels, read};

    #[test]
    fn reads_lists_of_texts_and_nothing_else() {
        for (condition, escaped, expected) in [
            ("`c` in ('DE','I\\'N')", false, Some(vec!["DE", "I'N"])),
            ("(`c` in (_utf8mb4\\'a\\',_utf8mb4\\'b, c\\'))", true, Some(vec!["a", "b, c"])),
            ("\"c\" in ('a')", false, Some(vec!["a"])),
            ("`c` in ('a','b') or `c` is null", false, None),
            ("`c` not in ('a')", false, None),
            ("`c` <> 'a'", false, None),
            ("`c` in (1,2)", false, None),
            ("`c` in ('a',lower('B'))", false, None),
        ] {
            let expected = expected.map(|values| values.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(
                read(condition, escaped),
                expected.map(|values| ("c".to_owned(), Said::Values(values))),
                "{condition}"
            );
        }
        assert_eq!(read("json_valid(`j`)", false), Some(("j".to_owned(), Said::Json)));
    }

    #[test]
    fn reads_the_labels_of_an_enum() {
        assert_eq!(enum_labels("enum('a','it''s','b\\\\c','c,d')"), ["a", "it's", "b\\c", "c,d"]);
        assert!(enum_labels("set('a')").is_empty());
        assert!(enum_labels("varchar(3)").is_empty());
    }
}
