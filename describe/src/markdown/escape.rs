//! Text made safe for Markdown: it shows as it is, starts no heading, list, table or tag, and stays on its line.
//!
//! Descriptions hold names and values out of databases, and those hold anything. Only what would be read as markup is
//! escaped, so that the file stays readable in a plain editor.

/// Text on one line, with everything escaped that Markdown or HTML would read as markup.
pub(crate) fn inline(text: &str) -> String {
    let line = crate::rules::one_line(text);
    let characters: Vec<char> = line.chars().collect();
    let mut escaped = String::with_capacity(line.len() + 8);
    let mut code_until = None;
    for (position, &character) in characters.iter().enumerate() {
        if code_until.is_none() && character == '`' {
            code_until = name_in_backquotes(&characters[position + 1..]).map(|length| position + 1 + length);
        }
        if let Some(end) = code_until {
            escaped.push(character);
            if position == end {
                code_until = None;
            }
            continue;
        }
        let before = position.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(position + 1).copied();
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' if starts_entity(&characters[position..]) => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '_' if !(is_word(before) && is_word(after)) => escaped.push_str("\\_"),
            '#' | '>' | '+' | '-' | '=' if position == 0 => {
                escaped.push('\\');
                escaped.push(character);
            }
            '.' | ')'
                if characters[..position].iter().all(char::is_ascii_digit) && position > 0 && after == Some(' ') =>
            {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// How long the plain name is that the text begins with, where a backquote ends it: code in which nothing is markup.
fn name_in_backquotes(text: &[char]) -> Option<usize> {
    let plain = |character: &char| character.is_alphanumeric() || [' ', '_', '-', '.'].contains(character);
    let length = text.iter().take_while(|character| plain(character)).count();
    let is_name = length > 0 && text[0] != ' ' && text[length - 1] != ' ' && text.get(length) == Some(&'`');
    (is_name && text.get(length + 1) != Some(&'`')).then_some(length)
}

/// Text as code on one line, whatever backticks it holds.
pub(crate) fn code(text: &str) -> String {
    let line = crate::rules::one_line(text);
    let longest = line.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// Text as a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    inline(text)
}

/// A block of SQL, whatever backticks it holds.
pub(crate) fn sql_block(sql: &str) -> String {
    let longest = sql.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}sql\n{}\n{fence}", shown::visible(sql.trim_end()))
}

/// A name as a heading, so that [`heading_name`] gives it back exactly.
pub(crate) fn heading(name: &str) -> String {
    if name.is_empty() {
        return "(empty)".to_owned();
    }
    let last = name.chars().count() - 1;
    let mut escaped = String::with_capacity(name.len() + 8);
    for (position, character) in name.chars().enumerate() {
        let at_edge = position == 0 || position == last;
        match character {
            ' ' if !at_edge => escaped.push(' '),
            _ if character.is_whitespace() || character.is_control() || is_invisible(character) => {
                escaped.push_str(&format!("&#{};", u32::from(character)));
            }
            '<' | '&' => escaped.push_str(&format!("&#{};", u32::from(character))),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '#' | '(' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The name that [`heading`] wrote, or that a person wrote plainly.
pub(crate) fn heading_name(heading: &str) -> String {
    if heading == "(empty)" {
        return String::new();
    }
    let mut name = String::with_capacity(heading.len());
    let mut rest = heading;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        match character {
            '\\' if after.starts_with(|next: char| next.is_ascii_punctuation()) => {
                name.extend(after.chars().next());
                rest = &after[1..];
            }
            '&' => match entity(after) {
                Some((decoded, remaining)) => {
                    name.push(decoded);
                    rest = remaining;
                }
                None => {
                    name.push('&');
                    rest = after;
                }
            },
            _ => {
                name.push(character);
                rest = after;
            }
        }
    }
    name
}

/// `#10;…` → the character and what follows.
fn entity(after_ampersand: &str) -> Option<(char, &str)> {
    let (number, remaining) = after_ampersand.strip_prefix('#')?.split_once(';')?;
    Some((char::from_u32(number.parse().ok()?)?, remaining))
}

fn starts_entity(characters: &[char]) -> bool {
    let body: String = characters.iter().skip(1).take(12).collect();
    body.split_once(';').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '#')
    })
}

fn is_word(character: Option<char>) -> bool {
    character.is_some_and(|character| character.is_alphanumeric() || character == '_')
}

/// Characters that are not white space and still leave no trace, or that reorder the line.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{code, heading, heading_name, inline, sql_block};

    #[test]
    fn markup_in_text_is_disarmed_and_plain_text_left_alone() {
        for (text, expected) in [
            ("order_id of R&D, 5 > 3", "order_id of R&D, 5 > 3"),
            ("a|b", "a\\|b"),
            ("<script>", "&lt;script>"),
            ("&lt;", "&amp;lt;"),
            ("line\n## Columns", "line ## Columns"),
            ("# x", "\\# x"),
            ("- x", "\\- x"),
            ("1. x", "1\\. x"),
            ("_x_", "\\_x\\_"),
            ("`x y` ``[y](z)", "`x y` \\`\\`\\[y\\](z)"),
        ] {
            assert_eq!(inline(text), expected);
        }
    }

    #[test]
    fn code_outlives_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(sql_block("SELECT '```'"), "````sql\nSELECT '```'\n````");
    }

    proptest! {
        #[test]
        fn every_name_survives_its_heading(name in any::<String>()) {
            let written = heading(&name);
            assert_eq!(written.trim(), written);
            assert_eq!(written.lines().count(), 1);
            assert_eq!(heading_name(&written), name);
        }
    }
}
