//! What the engine tells of a table or view only in the statement that makes it.
//!
//! The engine writes these statements itself, from what it has understood, so their form is always the same. What isn't
//! found in it is left out.

use catalog::Dialect;

/// The query of `CREATE VIEW name (columns) AS query;`.
pub(super) fn view_query(sql: &str) -> Option<&str> {
    let begin = outside(sql, |rest| rest.starts_with(" AS "))? + " AS ".len();
    Some(sql[begin..].trim().trim_end_matches(';').trim_end())
}

/// The columns of `CREATE TABLE name(column TYPE GENERATED ALWAYS AS(expression), …);` whose values are computed.
pub(super) fn generated_columns(sql: &str) -> Vec<String> {
    const GENERATED: &str = " GENERATED ALWAYS AS(";
    let Some(begin) = outside(sql, |rest| rest.starts_with('(')) else { return Vec::new() };
    let mut rest = &sql[begin + 1..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let end = outside(rest, |rest| rest.starts_with([',', ')'])).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        if outside(part, |rest| rest.starts_with(GENERATED)).is_some() {
            found.extend(first_name(part.trim_start()));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    found
}

/// A name as the engine writes it in expressions: in quotes, which are taken off, or plain; `None` for anything else.
pub(super) fn plain_name(text: &str) -> Option<String> {
    let name = first_name(text)?;
    let written = text.len() == name.len() || text.len() == Dialect::Duckdb.quoted(&name).len();
    written.then_some(name)
}

fn first_name(text: &str) -> Option<String> {
    match text.strip_prefix('"') {
        Some(inner) => {
            let mut name = String::new();
            let mut characters = inner.chars().peekable();
            while let Some(character) = characters.next() {
                if character == '"' && characters.next_if_eq(&'"').is_none() {
                    return Some(name);
                }
                name.push(character);
            }
            None
        }
        None => {
            let ends = |character: char| !character.is_alphanumeric() && character != '_';
            let end = text.find(ends).unwrap_or(text.len());
            (end > 0).then(|| text[..end].to_owned())
        }
    }
}

/// Where the first text that `fits` begins outside of quotes and brackets.
fn outside(sql: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, character) in sql.char_indices() {
        match (quote, character) {
            // A doubled quote closes and opens again.
            (Some(open), _) => quote = quote.filter(|_| character != open),
            (None, _) if depth == 0 && fits(&sql[at..]) => return Some(at),
            (None, '\'' | '"') => quote = Some(character),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{generated_columns, plain_name, view_query};

    #[test]
    fn finds_the_query_of_a_view() {
        for (sql, expected) in [
            ("CREATE VIEW v AS SELECT 1;", Some("SELECT 1")),
            (r#"CREATE VIEW "o s"."v AS x" (a, "b AS c") AS SELECT 1, 'x AS y';"#, Some("SELECT 1, 'x AS y'")),
            ("CREATE TABLE t(a INTEGER);", None),
        ] {
            assert_eq!(view_query(sql), expected, "{sql}");
        }
    }

    #[test]
    fn finds_computed_columns() {
        let sql = r#"CREATE TABLE "a(b".t("x, "" y" DECIMAL(10,2) GENERATED ALWAYS AS((a * 2)), a INTEGER,
            s VARCHAR DEFAULT(' GENERATED ALWAYS AS('), g ENUM('a,b') GENERATED ALWAYS AS('k'), CHECK((a > 1)));"#;
        assert_eq!(generated_columns(sql), ["x, \" y", "g"]);
    }

    #[test]
    fn tells_names_from_expressions() {
        for (text, expected) in
            [("ta", Some("ta")), ("\"my \"\"col\"", Some("my \"col")), ("((ta + 1))", None), ("lower(a)", None)]
        {
            assert_eq!(plain_name(text).as_deref(), expected, "{text}");
        }
    }
}
