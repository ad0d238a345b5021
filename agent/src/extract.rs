//! The statement in a model's reply.
//!
//! Models wrap SQL in fences, in JSON, in sentences; a small one repeats itself after it. What is taken is text, not
//! meaning: whether it is a statement is for the guard to say.

/// The first statement in `reply`; `None` where there is nothing that begins like one.
pub fn statement(reply: &str) -> Option<String> {
    if let Ok(serde_json::Value::Object(object)) = serde_json::from_str(reply.trim())
        && let Some(sql) = object.get("sql").and_then(|value| value.as_str())
    {
        return first_statement(sql);
    }
    match fenced(reply) {
        Some(block) => first_statement(block).or_else(|| first_statement(reply)),
        None => first_statement(reply),
    }
}

/// What stands in the first code block, without the language on its first line.
fn fenced(reply: &str) -> Option<&str> {
    let start = reply.find("```")? + 3;
    let body = &reply[start..];
    let body = body.find('\n').map_or(body, |line_end| {
        let language = body[..line_end].trim();
        if language.chars().all(char::is_alphanumeric) { &body[line_end + 1..] } else { body }
    });
    Some(body.find("```").map_or(body, |end| &body[..end]))
}

fn first_statement(text: &str) -> Option<String> {
    let start = statement_start(text)?;
    let sql = &text[start..];
    let sql = &sql[..statement_end(sql)];
    let sql = sql.trim();
    (!sql.is_empty()).then(|| sql.to_owned())
}

/// Where a line or the text begins with a word that begins statements. Statements that write are taken too: the guard
/// refuses them with words that the model can act on, which silence would not.
fn statement_start(text: &str) -> Option<usize> {
    const OPENINGS: [&str; 11] =
        ["select", "with", "insert", "update", "delete", "create", "drop", "alter", "explain", "values", "pragma"];
    let mut fallback = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let body = line.trim_start().to_ascii_lowercase();
        let body = body.trim_start_matches('(');
        let word: String = body.chars().take_while(|character| character.is_ascii_alphabetic()).collect();
        let followed_by_sql = body[word.len()..].starts_with([' ', '\t', '\n', '(', '*', '\r', '"', '`']);
        // "With this query …" is prose; a WITH clause names something AS.
        let is_prose = word == "with" && !text[offset..].to_ascii_lowercase().contains(" as");
        if OPENINGS.contains(&word.as_str()) && followed_by_sql && !is_prose {
            return Some(offset + indent);
        }
        if fallback.is_none()
            && let Some(at) = line.to_ascii_lowercase().find("select ")
        {
            fallback = Some(offset + at);
        }
        offset += line.len();
    }
    fallback
}

/// The length of the first statement: up to a semicolon outside quotes and comments, a fence, or an empty line after
/// which prose begins.
fn statement_end(sql: &str) -> usize {
    let mut quote: Option<char> = None;
    let mut characters = sql.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None if character == ';' => return at,
            None if sql[at..].starts_with("```") => return at,
            None if sql[at..].starts_with("--") => {
                while characters.peek().is_some_and(|(_, next)| *next != '\n') {
                    characters.next();
                }
            }
            None if sql[at..].starts_with("\n\n") && begins_prose(&sql[at..]) => return at,
            None => {}
        }
    }
    sql.len()
}

fn begins_prose(rest: &str) -> bool {
    let rest = rest.trim_start();
    let first: String = rest.chars().take_while(|character| !character.is_whitespace()).collect();
    let is_capitalized =
        first.chars().next().is_some_and(char::is_uppercase) && first.chars().skip(1).any(char::is_lowercase);
    is_capitalized || first.starts_with("**") || first.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::statement;

    fn check(reply: &str, expected: Option<&str>) {
        assert_eq!(statement(reply).as_deref(), expected, "{reply}");
    }

    #[test]
    fn takes_the_statement_out_of_its_wrapping() {
        check("SELECT 1;", Some("SELECT 1"));
        check("```sql\nSELECT a\nFROM t;\n```\nThis lists a.", Some("SELECT a\nFROM t"));
        check("```\nSELECT 1\n```", Some("SELECT 1"));
        check("```SELECT 1```", Some("SELECT 1"));
        check("Here is the query:\nSELECT a FROM t", Some("SELECT a FROM t"));
        check("The query is SELECT a FROM t", Some("SELECT a FROM t"));
        check("{\"sql\": \"SELECT 2\", \"analysis\": \"x\"}", Some("SELECT 2"));
        check("With this you get it:\n\nSELECT a FROM t", Some("SELECT a FROM t"));
        check("WITH x AS (SELECT 1) SELECT * FROM x", Some("WITH x AS (SELECT 1) SELECT * FROM x"));
    }

    #[test]
    fn stops_where_the_statement_ends() {
        check("SELECT ';' FROM t; SELECT 2", Some("SELECT ';' FROM t"));
        check("SELECT 1 -- one; two\nFROM t;", Some("SELECT 1 -- one; two\nFROM t"));
        check("SELECT a FROM t\n\nThis query lists all.", Some("SELECT a FROM t"));
        check("SELECT a\n\nFROM t", Some("SELECT a\n\nFROM t"));
    }

    #[test]
    fn statements_that_write_are_taken_so_that_the_guard_can_answer() {
        check("DROP TABLE t;", Some("DROP TABLE t"));
    }

    #[test]
    fn prose_and_nothing_hold_no_statement() {
        check("", None);
        check("I can't answer that.", None);
        check("```\n```", None);
        check("ünïcödé 🙂 ```", None);
    }
}
