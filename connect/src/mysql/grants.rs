//! A line of `SHOW GRANTS`, taken apart: ``GRANT SELECT, INSERT (`a`) ON `shop`.* TO `app`@`%` WITH GRANT OPTION``.
//!
//! MariaDB and MySQL write the same words and quote names alike. Invariant: of a line only rights, objects and roles are
//! kept; the hash of a password, which may stand behind them, is not.

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Rights on something.
    Rights(Grant),
    /// Roles that can be put on, as the server quotes them.
    Roles {
        names: Vec<String>,
        /// Whether they can be passed on.
        with_admin: bool,
    },
}

/// Rights on something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) rights: Vec<Right>,
    /// `*.*`, `` `shop`.* ``, `` PROCEDURE `shop`.`p` `` …
    pub(super) object: String,
    /// Whether everybody has them.
    pub(super) public: bool,
}

/// One right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Right {
    /// `INSERT`, `ALL PRIVILEGES`, `GRANT OPTION` …
    pub(super) name: String,
    /// The columns it is limited to, in parentheses, or nothing.
    pub(super) columns: String,
}

/// Reads a line; `None` for one that gives nothing: a default role, a right that is taken back from a part.
pub(super) fn parse(line: &str) -> Option<Line> {
    let words: Vec<&str> = split(line, char::is_whitespace);
    let (first, words) = words.split_first()?;
    if *first != "GRANT" {
        return None;
    }
    let to = words.iter().rposition(|word| *word == "TO")?;
    let (given, receiver) = (&words[..to], &words[to + 1..]);
    let has = |what: &str| receiver.windows(2).any(|pair| pair == [what, "OPTION"]);
    let Some(on) = given.iter().position(|word| *word == "ON") else {
        let given = given.join(" ");
        let names = split(&given, |character| character == ',').into_iter().map(|name| name.trim().to_owned());
        return Some(Line::Roles { names: names.collect(), with_admin: has("ADMIN") });
    };
    let mut rights: Vec<Right> =
        split(&given[..on].join(" "), |character| character == ',').into_iter().map(right).collect();
    if has("GRANT") {
        rights.push(Right { name: "GRANT OPTION".to_owned(), columns: String::new() });
    }
    let public = receiver.first() == Some(&"PUBLIC");
    Some(Line::Rights(Grant { rights, object: given[on + 1..].join(" "), public }))
}

fn right(text: &str) -> Right {
    let (name, columns) = match text.find('(') {
        Some(start) => text.split_at(start),
        None => (text, ""),
    };
    Right { name: name.trim().to_ascii_uppercase(), columns: columns.trim().to_owned() }
}

/// Parts between separators outside of quotes and parentheses, without empty ones.
fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut quote, mut depth) = (None, 0_usize);
    for (place, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|&open| open != character),
            (None, '`' | '"' | '\'') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && is_separator(character) => {
                parts.push(&text[start..place]);
                start = place + character.len_utf8();
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::{Grant, Line, Right, parse};

    fn rights(list: &[(&str, &str)], object: &str, public: bool) -> Option<Line> {
        let right = |(name, columns): &(&str, &str)| Right { name: (*name).into(), columns: (*columns).into() };
        Some(Line::Rights(Grant { rights: list.iter().map(right).collect(), object: object.into(), public }))
    }

    #[test]
    fn reads_what_servers_write() {
        for (line, expected) in [
            (
                "GRANT SELECT, SHOW VIEW ON `a\\_b`.* TO `app`@`%` WITH GRANT OPTION",
                rights(&[("SELECT", ""), ("SHOW VIEW", ""), ("GRANT OPTION", "")], "`a\\_b`.*", false),
            ),
            (
                "GRANT SELECT (`a`, `TO ,``b`), UPDATE (`b`) ON `s`.`ON` TO `x`@`%`",
                rights(&[("SELECT", "(`a`, `TO ,``b`)"), ("UPDATE", "(`b`)")], "`s`.`ON`", false),
            ),
            (
                "GRANT ALL PRIVILEGES ON *.* TO `r`@`localhost` IDENTIFIED BY PASSWORD '*94BD' WITH GRANT OPTION",
                rights(&[("ALL PRIVILEGES", ""), ("GRANT OPTION", "")], "*.*", false),
            ),
            (
                "GRANT EXECUTE ON PROCEDURE \"s\".\"p q\" TO \"x\"@\"%\"",
                rights(&[("EXECUTE", "")], "PROCEDURE \"s\".\"p q\"", false),
            ),
            ("GRANT DELETE ON `s`.`t` TO PUBLIC", rights(&[("DELETE", "")], "`s`.`t`", true)),
            (
                "GRANT `r,1`@`%`,`r2`@`%` TO `u`@`%` WITH ADMIN OPTION",
                Some(Line::Roles { names: vec!["`r,1`@`%`".into(), "`r2`@`%`".into()], with_admin: true }),
            ),
            ("GRANT `r` TO `u`@`%`", Some(Line::Roles { names: vec!["`r`".into()], with_admin: false })),
            ("SET DEFAULT ROLE `r` FOR `u`@`%`", None),
            ("REVOKE INSERT ON `mysql`.* FROM `u`@`%`", None),
            ("", None),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
