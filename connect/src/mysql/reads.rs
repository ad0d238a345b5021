//! What the server takes a statement to read, by its own account.
//!
//! The optimizer's trace has each query once more as the server has resolved it: no `*`, and before every column what its
//! relation is called there. <https://mariadb.com/kb/en/optimizer-trace-overview/>

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::statement::{EngineRead, ReadWhat};

/// What stands behind a relation that has no other name.
const NO_NAMES: [&str; 30] = [
    "join",
    "inner",
    "left",
    "right",
    "cross",
    "straight_join",
    "natural",
    "on",
    "using",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "union",
    "intersect",
    "except",
    "window",
    "procedure",
    "for",
    "lock",
    "use",
    "force",
    "ignore",
    "partition",
    "select",
    "from",
    "and",
    "or",
    "offset",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name, and whether it stood in quotes.
    Name(String, bool),
    Mark(char),
}

impl Token {
    fn is(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }

    fn is_word(&self, words: &[&str]) -> bool {
        matches!(self, Self::Name(name, false) if words.contains(&name.to_ascii_lowercase().as_str()))
    }
}

/// The columns that a trace says are read, by what their relations are called in the statement; `None` where the text is no
/// trace or holds no query.
pub(super) fn reads(trace: &str) -> Option<Vec<EngineRead>> {
    let trace: Value = serde_json::from_str(trace).ok()?;
    let mut queries = Vec::new();
    gather(&trace, &mut queries);
    if queries.is_empty() {
        return None;
    }
    // A name that holds a quote can't be told from its end.
    if queries.iter().any(|query| query.contains("``")) {
        return None;
    }
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let is_sure = !queries.iter().any(|query| has_introducers(query));
    if is_sure {
        queries.iter().for_each(|query| names_of_relations(&tokens(query), &mut called));
    }
    let pairs: Vec<Vec<(String, String)>> = queries.iter().map(|query| qualified(query)).collect::<Option<_>>()?;
    let mut found = BTreeSet::new();
    for (relation, column) in pairs.into_iter().flatten() {
        let of = |relation: Option<String>| EngineRead {
            schema: None,
            relation,
            what: ReadWhat::Column(column.clone()),
            through: None,
        };
        match called.get(&relation.to_lowercase()) {
            Some(relations) => found.extend(relations.iter().cloned().map(Some).map(of)),
            // A table's name may be another one's alias.
            None => found.extend([of(None)]),
        }
    }
    Some(found.into_iter().collect())
}

fn gather<'t>(value: &'t Value, queries: &mut Vec<&'t str>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::String(query) if key == "expanded_query" => queries.push(query),
                    value => gather(value, queries),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, queries)),
        _ => {}
    }
}

/// A query without its strings and comments.
fn tokens(query: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = query.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '`' => {
                let mut name = String::new();
                while let Some(next) = rest.next() {
                    if next == '`' && rest.next_if_eq(&'`').is_none() {
                        break;
                    }
                    name.push(next);
                }
                found.push(Token::Name(name, true));
            }
            '\'' => {
                while let Some(next) = rest.next() {
                    match next {
                        '\\' => drop(rest.next()),
                        '\'' if rest.next_if_eq(&'\'').is_none() => break,
                        _ => {}
                    }
                }
            }
            '/' if rest.next_if_eq(&'*').is_some() => {
                let mut last = ' ';
                while let Some(next) = rest.next().filter(|next| !(last == '*' && *next == '/')) {
                    last = next;
                }
            }
            first if is_of_name(first) => {
                let mut name = first.to_string();
                while let Some(next) = rest.next_if(|next| is_of_name(*next)) {
                    name.push(next);
                }
                found.push(Token::Name(name, false));
            }
            blank if blank.is_whitespace() => {}
            mark => found.push(Token::Mark(mark)),
        }
    }
    found
}

/// What relations are called where they stand behind FROM, JOIN, a comma or a bracket: themselves, or another name. What only
/// looks like a relation there (`extract(year from p.born)`) gives names too many.
fn names_of_relations(query: &[Token], called: &mut BTreeMap<String, BTreeSet<String>>) {
    for (place, token) in query.iter().enumerate() {
        // What a query in brackets is called gives on what was read in it.
        if token.is(')')
            && let Some(Token::Name(name, quoted)) = query.get(place + 1)
            && (*quoted || !NO_NAMES.contains(&name.to_ascii_lowercase().as_str()))
        {
            called.entry(name.to_lowercase()).or_default();
        }
        let Token::Name(relation, _) = token else { continue };
        // With its database before it, it is the last of them that counts.
        let mut start = place;
        while start >= 2 && query[start - 1].is('.') {
            start -= 2;
        }
        let before = start.checked_sub(1).and_then(|before| query.get(before));
        let stands = before.is_some_and(|before| {
            before.is('(') || before.is(',') || before.is_word(&["from", "join", "straight_join"])
        });
        if !stands || query.get(place + 1).is_some_and(|next| next.is('.') || next.is('(')) {
            continue;
        }
        let name = match query.get(place + 1) {
            Some(Token::Name(name, quoted)) if *quoted || !NO_NAMES.contains(&name.to_ascii_lowercase().as_str()) => {
                name
            }
            _ => relation,
        };
        // What is behind a merged view goes by its own name.
        for name in [name, relation] {
            called.entry(name.to_lowercase()).or_default().insert(relation.clone());
        }
    }
}

/// Every `relation.column`, and every relation behind its database: nothing tells them apart for sure. Also what stands in
/// strings: the server doesn't always write them so that their ends can be found.
fn qualified(query: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (dot, _) in query.match_indices('.') {
        let (before, after) = (&query[..dot], &query[dot + 1..]);
        let relation = match before.strip_suffix('`') {
            Some(quoted) => quoted.rfind('`').map(|start| &quoted[start + 1..]),
            None => Some(before.rsplit(|character: char| !is_of_name(character)).next().unwrap_or_default()),
        };
        let column = match after.strip_prefix('`') {
            Some(quoted) => quoted.find('`').map(|end| &quoted[..end]),
            None => Some(after.split(|character: char| !is_of_name(character)).next().unwrap_or_default()),
        };
        let (relation, column) = (relation?, column?);
        let is_number = column.starts_with(|first: char| first.is_ascii_digit());
        match relation.is_empty() || column.is_empty() {
            false => found.push((relation.to_owned(), column.to_owned())),
            true if is_number => {}
            // Nobody can say what stands on the other side.
            true => return None,
        }
    }
    Some(found)
}

/// Whether a character needs no quotes in a name: beyond ASCII, none does.
fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() || matches!(character, '_' | '$' | '@')
}

/// Whether a string has a character set before it (`_utf8mb4'…'`), which the server then writes without escapes.
fn has_introducers(query: &str) -> bool {
    query.match_indices('\'').any(|(place, _)| {
        let is_of_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let before = query[..place].trim_end_matches(is_of_word);
        let word = &query[before.len()..place];
        // Behind a quote it is the end of a string.
        !before.ends_with('\'') && (word.starts_with('_') || matches!(word, "n" | "N" | "x" | "X" | "b" | "B"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ReadWhat, reads};

    fn columns(query: &str) -> Vec<String> {
        let trace = json!({"steps": [{"join_preparation": {"steps": [{"expanded_query": query}]}}]}).to_string();
        let of = |what| if let ReadWhat::Column(name) = what { name } else { String::new() };
        let relation = |name: Option<String>| name.unwrap_or_else(|| "any".to_owned());
        reads(&trace)
            .unwrap()
            .into_iter()
            .map(|read| format!("{}.{}", relation(read.relation), of(read.what)))
            .collect()
    }

    #[test]
    fn columns_are_told_by_what_their_relations_are_called() {
        let query = "/* select#1 */ select group_concat(p.`id` separator ',') AS `x` from people p where \
                     exists(/* select#2 */ select 1 from dept having p.city like 'p.email''p.name' limit 1) and p.`id` = 1";
        assert_eq!(columns(query), ["people.city", "people.email", "people.id", "people.name"]);
        let joined = "select people.city AS city,`d d`.label from (`s`.v join people p on(people.`id` = p.`id`)) join `dept` `d d`";
        assert_eq!(columns(joined), ["any.v", "dept.label", "people.city", "people.id"]);
        let trimmed = "select trim(both 'x' from p.name) from people p where extract(year from people.born) = 1";
        assert!(columns(trimmed).contains(&"people.name".to_owned()), "{:?}", columns(trimmed));
        let introduced = "select 1 from people p where _utf8mb4'a'b' <> 'z' and p.name like 'A%'";
        assert_eq!(columns(introduced), ["any.name"]);
        assert_eq!(columns("select p€.name€ from people p€"), ["people.name€"]);
        assert_eq!(reads("{}"), None);
    }
}
