//! What the server takes a statement to read, by its own account.
//!
//! The optimizer's trace has each query once more as the server has resolved it: no `*`, and before every column what its
//! relation is called there. <https://mariadb.com/kb/en/optimizer-trace-overview/>

use std::collections::{BTreeMap, BTreeSet};

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

/// Words before an expression where a relation could stand, too.
const NO_RELATIONS: [&str; 22] = [
    "all",
    "any",
    "binary",
    "case",
    "cast",
    "convert",
    "default",
    "distinct",
    "distinctrow",
    "exists",
    "false",
    "high_priority",
    "interval",
    "not",
    "null",
    "row",
    "select",
    "some",
    "straight_join",
    "true",
    "values",
    "with",
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

/// The queries of views, each with the name of its view: the server resolves them by themselves, and writes them nowhere else.
#[derive(Debug, Default)]
pub(super) struct Bodies(BTreeMap<String, String>);

impl Bodies {
    /// What the traces of `SELECT 1 FROM view` have besides that query itself, which comes last.
    pub(super) fn of(traces: &[(String, String)]) -> Self {
        let bodies = traces.iter().filter_map(|(view, trace)| Some((view, queries(trace)?)));
        let mut bodies: Vec<(&String, Vec<String>)> = bodies.collect();
        // A view has the queries of those behind it besides its own.
        bodies.sort_by_key(|(_, queries)| queries.len());
        let mut of_views = BTreeMap::new();
        for (view, queries) in bodies {
            for query in &queries[..queries.len() - 1] {
                of_views.entry(query.clone()).or_insert_with(|| view.clone());
            }
        }
        Self(of_views)
    }
}

/// The columns that a trace says are read, by what their relations are called in the statement, and through which of the
/// views; `None` where the text is no trace or holds no query.
pub(super) fn reads(trace: &str, bodies: &Bodies) -> Option<Vec<EngineRead>> {
    let queries = queries(trace)?;
    // A name that holds a quote can't be told from its end, and what a relation is called stands further behind it where a
    // part or a time of it is read.
    if queries.iter().any(|query| query.contains("``") || reads_a_part(&tokens(query))) {
        return None;
    }
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let is_sure = !queries.iter().any(|query| has_introducers(query));
    if is_sure {
        queries.iter().for_each(|query| names_of_relations(&tokens(query), &mut called));
    }
    let mut found = BTreeSet::new();
    for query in &queries {
        let through = bodies.0.get(query);
        for (relation, column) in qualified(query)? {
            let of = |relation: Option<String>| EngineRead {
                schema: None,
                relation,
                what: ReadWhat::Column(column.clone()),
                through: through.cloned(),
            };
            match called.get(&relation.to_lowercase()) {
                Some(relations) => found.extend(relations.iter().cloned().map(Some).map(of)),
                // A table's name may be another one's alias.
                None => found.extend([of(None)]),
            }
        }
    }
    Some(found.into_iter().collect())
}

/// A query in which these common table expressions come before its own.
pub(super) fn beginning_with(expressions: &str, query: &str) -> String {
    let query = query.trim_start();
    let behind = |word: &str, text: &'_ str| -> Option<usize> {
        let is_word = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && text[word.len()..].starts_with(char::is_whitespace);
        is_word.then(|| text.len() - text[word.len()..].trim_start().len())
    };
    let Some(start) = behind("with", query) else { return format!("WITH {expressions} {query}") };
    match behind("recursive", &query[start..]) {
        Some(further) => format!("WITH RECURSIVE {expressions}, {}", &query[start + further..]),
        None => format!("WITH {expressions}, {}", &query[start..]),
    }
}

/// Whether a relation is read in part, or as it was.
fn reads_a_part(query: &[Token]) -> bool {
    query.windows(2).any(|pair| match pair {
        [word, Token::Mark('(')] => word.is_word(&["partition"]),
        [_, word] => word.is_word(&["system_time"]),
        _ => false,
    })
}

/// Every query in a trace, without the numbers that the server gives to selects. It is read line by line, as the server has
/// written it: strings in conditions stand there as they are, so that one can close the document around it and open another.
/// It can add lines that way, and take none away.
fn queries(trace: &str) -> Option<Vec<String>> {
    let texts = trace.lines().filter_map(|line| line.trim_start().strip_prefix("\"expanded_query\": "));
    let queries: Vec<String> =
        texts.map(|text| serde_json::from_str(text.trim_end().trim_end_matches(','))).collect::<Result<_, _>>().ok()?;
    let queries: Vec<String> = queries.iter().map(|query| without_numbers(query)).collect();
    (!queries.is_empty()).then_some(queries)
}

/// `/* select#2 */ select …` without the comments.
fn without_numbers(query: &str) -> String {
    const BEGINS: &str = "/* select#";
    let mut parts = query.split(BEGINS);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(" */ ") {
            Some((number, after)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest.push_str(after),
            _ => {
                rest.push_str(BEGINS);
                rest.push_str(part);
            }
        }
    }
    rest
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
        if token.is_word(&NO_RELATIONS) || relation.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
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

    use super::{BTreeSet, Bodies, ReadWhat, reads};

    fn trace(queries: &[&str]) -> String {
        let lines = queries.iter().map(|query| format!("  \"expanded_query\": {}\n", json!(query)));
        lines.collect()
    }

    fn columns(query: &str) -> Vec<String> {
        let of = |what| if let ReadWhat::Column(name) = what { name } else { String::new() };
        let relation = |name: Option<String>| name.unwrap_or_else(|| "any".to_owned());
        reads(&trace(&[query]), &Bodies::default())
            .unwrap()
            .into_iter()
            .map(|read| format!("{}.{}", relation(read.relation), of(read.what)))
            .collect()
    }

    #[test]
    fn expressions_come_before_those_of_the_query() {
        for (query, expected) in [
            ("SELECT 1", "WITH v AS (SELECT 1) SELECT 1"),
            (" with\n a AS (SELECT 2) SELECT", "WITH v AS (SELECT 1), a AS (SELECT 2) SELECT"),
            ("WITH recursive a(n) AS (…", "WITH RECURSIVE v AS (SELECT 1), a(n) AS (…"),
            ("WITHdraw", "WITH v AS (SELECT 1) WITHdraw"),
        ] {
            assert_eq!(super::beginning_with("v AS (SELECT 1)", query), expected);
        }
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
        for expression in
            ["count(distinct c.city)", "count(1) in (select c.city)", "sum(1, case c.city when 1 then 2 end)"]
        {
            assert_eq!(columns(&format!("select {expression} from people c")), ["people.city"], "{expression}");
        }
        assert_eq!(columns("select p€.name€ from people p€"), ["people.name€"]);
        assert_eq!(reads("{}", &Bodies::default()), None);
        for part in ["partition (p0) s", "FOR SYSTEM_TIME ALL s"] {
            assert_eq!(reads(&trace(&[&format!("select s.name AS x from staff {part}")]), &Bodies::default()), None);
        }
    }

    #[test]
    fn a_string_in_a_condition_takes_no_query_away() {
        let made_up = "  \"condition\": \"z.a <> 'x\"}],\"steps\":[{\n\"expanded_query\": \"select 1\"}],\"y\":\"'\"\n";
        let broken = format!("{}{made_up}", trace(&["select people.email AS x from people"]));
        assert_eq!(reads(&broken, &Bodies::default()), None);
        let whole = broken.replace("\"select 1\"}],\"y\":\"'\"", "\"select 1\"\n");
        assert_eq!(reads(&whole, &Bodies::default()).unwrap().len(), 1);
    }

    #[test]
    fn what_a_view_reads_is_read_through_it() {
        let inner = "/* select#2 */ select people.email AS email from people";
        let asked = |view: &str, queries: &[&str]| (view.to_owned(), trace(queries));
        let bodies = Bodies::of(&[
            asked("both", &[inner, "select people.email AS mail from mails", "select 1 AS `1` from both"]),
            asked("mails", &[inner, "/* select#1 */ select 1 AS `1` from mails"]),
        ]);
        let through = |queries: &[&str]| {
            let found = reads(&trace(queries), &bodies).unwrap();
            found
                .into_iter()
                .map(|read| read.through.unwrap_or_default())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        };
        let numbered = inner.replace('2', "7");
        assert_eq!(through(&[&numbered, "select 1 AS `1` from mails"]), ["mails"]);
        let outer = "/* select#1 */ select people.email AS email from mails";
        assert_eq!(through(&[inner, outer]), ["", "mails"]);
        let alike = "select 1 from (/* select#2 */ select people.email AS email from people) x";
        assert_eq!(through(&[inner, alike]), ["", "mails"]);
    }
}
