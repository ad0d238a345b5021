//! What the server takes a statement to read, by its own plan of it.
//!
//! `EXPLAIN (VERBOSE)` writes every expression of every step with the column's relation before it, whatever the statement
//! calls them: names are resolved, views and `*` are gone. What a scan gives on where nobody wants it (a scan may hand on
//! whole rows, since that is cheaper) isn't read by the statement: then what uses it stands in a step above.
//! <https://www.postgresql.org/docs/current/sql-explain.html>

use std::collections::BTreeSet;

use serde_json::Value;

use crate::statement::{EngineRead, ReadWhat};

/// Steps that don't say what they give on, call it by other names, or don't say what they sort and part it by.
const SILENT: [&str; 5] = ["Append", "Merge Append", "Recursive Union", "Subquery Scan", "WindowAgg"];

/// A relation in a plan.
struct Scanned<'p> {
    schema: Option<&'p str>,
    relation: &'p str,
    /// What it is called in the plan, as it stands in expressions.
    aliases: [String; 2],
}

/// The columns that a plan of `sql` reads; `None` where the text is no plan, or the plan doesn't say all: what stands in
/// several rows of VALUES, LIMIT and OFFSET, and how far a window reaches is in no plan, so that only constants may stand
/// there.
pub(super) fn reads(sql: &str, plan: &str) -> Option<Vec<EngineRead>> {
    let has_values = plan.contains("\"Values Scan\"");
    let text = without_texts(sql)?;
    if !limits_are_constant(&text) || has_values && !values_are_constant(&text) {
        return None;
    }
    let plan: Value = serde_json::from_str(plan).ok()?;
    let mut scanned = Vec::new();
    let mut texts = Vec::new();
    for query in plan.as_array()? {
        visit(query.get("Plan")?, true, &mut scanned, &mut texts)?;
    }
    let mut found = BTreeSet::new();
    for of in &scanned {
        for alias in &of.aliases {
            for what in texts.iter().flat_map(|text| named_behind(text, alias)) {
                found.insert(EngineRead {
                    schema: of.schema.map(str::to_owned),
                    relation: Some(of.relation.to_owned()),
                    what,
                    through: None,
                });
            }
        }
    }
    Some(found.into_iter().collect())
}

/// Whether numbers follow wherever a text has the words LIMIT, OFFSET and FETCH, and numbers or UNBOUNDED stand before
/// PRECEDING and FOLLOWING. The words can't be written otherwise.
fn limits_are_constant(text: &str) -> bool {
    let behind = |word: &str| {
        text.match_indices(word).all(|(place, _)| {
            let rest = &text[place + word.len()..];
            if text[..place].ends_with(is_of_word) || rest.starts_with(is_of_word) {
                return true;
            }
            let rest = rest.trim_start();
            let rest = ["first", "next"].iter().find_map(|next| rest.strip_prefix(next)).unwrap_or(rest).trim_start();
            let after = rest.trim_start_matches(|character: char| character.is_ascii_digit());
            let ends =
                after.trim_start().chars().next().is_none_or(|next| next.is_alphabetic() || matches!(next, ')' | ';'));
            rest.is_empty() || rest.starts_with("all") || rest.starts_with("row") || after.len() < rest.len() && ends
        })
    };
    let before = |word: &str| {
        text.match_indices(word).all(|(place, _)| {
            let rest = text[..place].trim_end();
            let is_part = text[..place].ends_with(is_of_word) || text[place + word.len()..].starts_with(is_of_word);
            is_part || rest.ends_with(|last: char| last.is_ascii_digit() || last == '\'') || rest.ends_with("unbounded")
        })
    };
    ["limit", "offset", "fetch"].into_iter().all(behind) && ["preceding", "following"].into_iter().all(before)
}

/// A statement in small letters with nothing inside its texts and quoted names, and a blank for each comment; `None` where the
/// end of one isn't certain. By PostgreSQL's rules (documentation, 4.1): comments hold comments, a backslash counts in `E'…'`.
fn without_texts(sql: &str) -> Option<String> {
    let lower = sql.to_lowercase();
    let mut text = String::with_capacity(lower.len());
    let mut rest = lower.as_str();
    while let Some(first) = rest.chars().next() {
        let is_in_word = text.ends_with(is_of_word);
        let taken = match first {
            '-' if rest.starts_with("--") => {
                text.push(' ');
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            }
            '/' if rest.starts_with("/*") => {
                text.push(' ');
                comment_length(rest)?
            }
            '\'' => {
                let escapes = text.strip_suffix('e').is_some_and(|before| !before.ends_with(is_of_word));
                let end = quoted_length(rest, '\'', escapes)?;
                // A text may go on in the next line, in the same way of writing.
                if escapes && rest[end..].trim_start().starts_with('\'') {
                    return None;
                }
                text.push_str("''");
                end
            }
            '"' => {
                text.push_str("\"\"");
                quoted_length(rest, '"', false)?
            }
            '$' if !is_in_word => match rest[1..].find('$').map(|end| &rest[..end + 2]) {
                Some(tag)
                    if tag[1..tag.len() - 1].chars().all(|character| is_of_word(character) && character != '$') =>
                {
                    text.push_str("''");
                    tag.len() + rest[tag.len()..].find(tag)? + tag.len()
                }
                _ => {
                    text.push('$');
                    1
                }
            },
            other => {
                text.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Some(text)
}

/// Bytes of the quoted text that begins a text.
fn quoted_length(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((place, character)) = characters.next() {
        match character {
            '\\' if escapes => drop(characters.next()),
            _ if character == quote => match characters.next_if(|(_, next)| *next == quote) {
                Some(_) => {}
                None => return Some(place + quote.len_utf8()),
            },
            _ => {}
        }
    }
    None
}

/// Bytes of the comment that begins a text, with those inside it.
fn comment_length(text: &str) -> Option<usize> {
    let (mut depth, mut place) = (0_usize, 0);
    while place < text.len() {
        let rest = &text.as_bytes()[place..];
        match rest {
            [b'/', b'*', ..] => (depth, place) = (depth + 1, place + 2),
            [b'*', b'/', ..] => (depth, place) = (depth - 1, place + 2),
            _ => place += 1,
        }
        if depth == 0 {
            return Some(place);
        }
    }
    None
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Whether nothing but numbers, plain texts and constants stands between the brackets behind VALUES.
fn values_are_constant(text: &str) -> bool {
    if text.contains(['$', '&']) {
        return false;
    }
    text.match_indices("values").all(|(place, word)| {
        let rest = &text[place + word.len()..];
        if text[..place].ends_with(is_of_word) || rest.starts_with(is_of_word) {
            return true;
        }
        let (mut depth, mut quoted, mut word) = (0_usize, false, String::new());
        for character in rest.chars() {
            match character {
                '\'' => quoted = !quoted,
                _ if quoted => {}
                letter if is_of_word(letter) && !(word.is_empty() && letter.is_ascii_digit()) => word.push(letter),
                other => {
                    if depth > 0
                        && !matches!(
                            std::mem::take(&mut word).as_str(),
                            "" | "null" | "true" | "false" | "date" | "timestamp" | "interval"
                        )
                    {
                        return false;
                    }
                    word.clear();
                    match other {
                        '(' => depth += 1,
                        ')' if depth <= 1 => depth = 0,
                        ')' => depth -= 1,
                        ',' | ' ' | '\n' | '\t' | '.' | '-' | '+' => {}
                        digit if digit.is_ascii_digit() => {}
                        // What follows the rows.
                        _ => return depth == 0,
                    }
                }
            }
            if depth == 0 && !word.is_empty() {
                return true;
            }
        }
        true
    })
}

/// Gathers the relations and the expressions of a step and of those below it.
fn visit<'p>(
    step: &'p Value,
    gives_what_it_reads: bool,
    scanned: &mut Vec<Scanned<'p>>,
    texts: &mut Vec<&'p str>,
) -> Option<()> {
    let kind = step.get("Node Type")?.as_str()?;
    let is_scan = step.get("Relation Name").is_some();
    for (key, value) in step.as_object()?.iter().filter(|(key, _)| *key != "Plans") {
        let mut told = Vec::new();
        strings(value, &mut told);
        // Of what a scan hands on, plain columns may be more than are wanted.
        let is_plain = |text: &&str| !text.contains(['(', ' ']) || text.starts_with('"') && text.ends_with('"');
        let skips = key == "Output" && is_scan && !gives_what_it_reads;
        texts.extend(told.into_iter().filter(|text| !skips || !is_plain(text)));
    }
    if let Some(relation) = step.get("Relation Name").and_then(Value::as_str) {
        let alias = step.get("Alias").and_then(Value::as_str).unwrap_or(relation);
        scanned.push(Scanned {
            schema: step.get("Schema").and_then(Value::as_str),
            relation,
            aliases: [alias.to_owned(), format!("\"{}\"", alias.replace('"', "\"\""))],
        });
    }
    for below in step.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        let place = below.get("Parent Relationship").and_then(Value::as_str);
        let is_wanted = !matches!(place, Some("Outer" | "Inner")) || SILENT.contains(&kind);
        visit(below, is_wanted, scanned, texts)?;
    }
    Some(())
}

/// Every text in an entry of a step, at whatever depth: the keys of grouping sets stand in lists of lists.
fn strings<'p>(value: &'p Value, found: &mut Vec<&'p str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(entries) => entries.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

/// What stands behind `alias.` in an expression.
fn named_behind(text: &str, alias: &str) -> Vec<ReadWhat> {
    let mut found = Vec::new();
    let mut rest = text;
    let prefix = format!("{alias}.");
    let mut before = None;
    while let Some(place) = rest.find(&prefix) {
        let last = rest[..place].chars().next_back().or(before);
        let is_whole = !last.is_some_and(|character| character.is_alphanumeric() || character == '_');
        let behind = &rest[place + prefix.len()..];
        if is_whole {
            found.extend(name_at(behind));
        }
        before = Some('.');
        rest = behind;
    }
    found
}

/// The name that a text begins with, in quotes or not; `*` for a whole row.
fn name_at(text: &str) -> Option<ReadWhat> {
    if text.starts_with('*') {
        return Some(ReadWhat::Row);
    }
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '$'));
        let name = &text[..end.unwrap_or(text.len())];
        return (!name.is_empty()).then(|| ReadWhat::Column(name.to_owned()));
    };
    let mut name = String::new();
    let mut rest = quoted.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '"' && rest.next_if_eq(&'"').is_none() {
            return Some(ReadWhat::Column(name));
        }
        name.push(character);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{ReadWhat, limits_are_constant, named_behind, reads, values_are_constant, without_texts};

    fn columns(plan: &str) -> Vec<String> {
        let of = |what| match what {
            ReadWhat::Column(name) => name,
            ReadWhat::Row => "*".to_owned(),
            ReadWhat::Within(text) => text,
        };
        reads("", plan)
            .unwrap()
            .into_iter()
            .map(|read| format!("{}.{}", read.relation.unwrap(), of(read.what)))
            .collect()
    }

    #[test]
    fn names_are_found_behind_what_a_relation_is_called() {
        let column = |name: &str| ReadWhat::Column(name.to_owned());
        assert_eq!(
            named_behind("((p.email)::text = 'x') AND (xp.id = p.\"E \"\"Mail\")", "p"),
            [column("email"), column("E \"Mail")]
        );
        assert_eq!(named_behind("row_to_json(\"P p\".*)", "\"P p\""), [ReadWhat::Row]);
    }

    #[test]
    fn what_a_scan_hands_on_to_nobody_is_not_read() {
        let scan = |more: &str| {
            format!(
                r#"{{"Node Type": "Seq Scan", "Relation Name": "people", "Schema": "s", "Alias": "p",
                    "Output": ["id", "p.id", "p.email"]{more}}}"#
            )
        };
        assert_eq!(columns(&format!(r#"[{{"Plan": {}}}]"#, scan(""))), ["people.email", "people.id"]);
        let outer = scan(r#", "Parent Relationship": "Outer", "Filter": "(p.city = 'x'::text)""#);
        let counted =
            format!(r#"[{{"Plan": {{"Node Type": "Aggregate", "Output": ["count(p.id)"], "Plans": [{outer}]}}}}]"#);
        assert_eq!(columns(&counted), ["people.city", "people.id"]);
        let member = scan(r#", "Parent Relationship": "Member""#);
        let appended = format!(r#"[{{"Plan": {{"Node Type": "Append", "Plans": [{member}]}}}}]"#);
        assert_eq!(columns(&appended), ["people.email", "people.id"]);
        assert_eq!(reads("", "{}"), None);
    }

    #[test]
    fn what_no_plan_says_may_only_be_constant() {
        let limits_are_constant = |sql| without_texts(sql).is_some_and(|text| limits_are_constant(&text));
        let values_are_constant = |sql| without_texts(sql).is_some_and(|text| values_are_constant(&text));
        for sql in [
            "SELECT a FROM t LIMIT 10 -- newest first, no limit, all",
            "SELECT a AS \"limit\" FROM t /* the /* offset */ x */ WHERE b = 'over limit x' OR c = E'it\\'s limit x'",
            "SELECT $q$ limit x $q$ FROM t LIMIT 5;",
            "SELECT a FROM t LIMIT 10 OFFSET 5",
            "SELECT a, limit_reached FROM t ORDER BY b FETCH FIRST 3 ROWS ONLY",
            "SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
            "SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM t LIMIT ALL",
        ] {
            assert!(limits_are_constant(sql), "{sql}");
        }
        for sql in [
            "SELECT a LIMIT U&\"sal\\0061ry\"",
            "SELECT 1 LIMIT p.x",
            "SELECT 1 LIMIT 1 + p.x",
            "OFFSET (SELECT 1)",
            "ROWS p.x PRECEDING",
            "SELECT '--' LIMIT p.x",
            "SELECT 1 /* /* */ */ LIMIT p.x",
            "SELECT E'\\'' LIMIT p.x --'",
            "SELECT 1 -- \r LIMIT p.x",
            "SELECT a$b$c LIMIT p.x -- $b$",
        ] {
            assert!(!limits_are_constant(sql), "{sql}");
        }
        let constant =
            "SELECT * FROM (VALUES (1, 'a''b', NULL), (-2.5, 'c', true)) AS v(x, y) JOIN t ON v.x = t.values_of";
        assert!(values_are_constant(constant));
        for sql in [
            "SELECT max(x) FROM (VALUES (p.a), (p.b)) v(x)",
            "VALUES (1), (\"email\")",
            "VALUES (1), (email)",
            "VALUES (E'\\'', email)",
        ] {
            assert!(!values_are_constant(sql), "{sql}");
        }
    }
}
