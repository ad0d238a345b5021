//! Statements made of others: tokens deleted, doubled, swapped, put in from elsewhere, hostile parts among them.
//!
//! Nothing is known of what comes out; most of it is no SQL at all. Invariant: tokens stay whole, but for one mutation
//! that cuts in the middle of them on purpose.

use fastrand::Rng;

use super::words::Words;

/// Longer seeds are tests of length, and slow to read.
const LONGEST: usize = 2000;

/// Pieces that change what the text around them means.
const EDGES: &[&str] = &[
    ";", "--", "\n", "/*", "*/", "'", "\"", "`", "\\", "(", ")", ",", "$$", "E'", "/*!", "*/;", "::", "@", "#",
    "\u{a0}", "[", "]", ".", "%", "{", "}", "0x", "''", "\u{2060}",
];

/// Words that start, continue or end a clause.
const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "WITH",
    "RECURSIVE",
    "AS",
    "UNION ALL",
    "INTO",
    "FOR UPDATE",
    "LIMIT 1",
    "ORDER BY 1",
    "NOT",
    "NULL",
    "RETURNING *",
    "DELETE FROM orders",
    "UPDATE orders SET total = 0",
    "INSERT INTO orders",
    "EXPLAIN",
    "ANALYZE",
    "VALUES (1)",
    "LATERAL",
    "TABLE",
    "ONLY",
    "EXISTS",
    "CASE",
    "END",
    "OVER ()",
    "DISTINCT",
    "ALL",
    "JOIN",
    "ON 1 = 1",
    "USING",
    "SET",
    "DO",
    "CALL",
    "COPY",
    "TO",
    "PROCEDURE",
    "TEMP",
    "OUTFILE",
    "DESCRIBE",
    "SHOW",
    "BEGIN",
    "COMMIT",
];

/// What acts wherever a parser takes it for a part of the statement, and is an error where it doesn't.
const PLANTED: &[&str] = &[
    "intruder()",
    ", intruder()",
    "+ intruder()",
    "FOR UPDATE",
    "INTO intruder",
    "; VACUUM",
    "UNION SELECT intruder()",
    "; ; COMMIT",
];

/// One of the statements with something that acts between two of its tokens. A parser that passes over tokens in
/// silence passes over this, too.
pub(super) fn planted(statements: &[String], rng: &mut Rng) -> String {
    // Inside of comments, and of texts that the tokens here don't know, it would mean nothing.
    let plain = |statement: &&String| !["--", "/*", "#", "$", "\\", "[", "`"].iter().any(|it| statement.contains(it));
    let plain: Vec<&String> = statements.iter().filter(plain).collect();
    let mut tokens = tokens(plain[rng.usize(0..plain.len())]);
    let place = rng.usize(1..=tokens.len());
    insert(&mut tokens, place, &format!(" {} ", PLANTED[rng.usize(0..PLANTED.len())]));
    tokens.concat()
}

/// One of the statements, changed.
pub(super) fn mutated(statements: &[String], words: &Words, rng: &mut Rng) -> String {
    let mut tokens = tokens(pick(statements, rng));
    for _ in 0..rng.usize(1..5) {
        mutate(&mut tokens, statements, words, rng);
    }
    let mut text = tokens.concat();
    if rng.u8(0..20) == 0 {
        let cut = rng.usize(0..=text.chars().count());
        text = text.chars().take(cut).collect();
    }
    text
}

fn mutate(tokens: &mut Vec<String>, statements: &[String], words: &Words, rng: &mut Rng) {
    let place = rng.usize(0..=tokens.len());
    let end = (place + rng.usize(1..4)).min(tokens.len());
    match rng.u8(0..10) {
        0 => drop(tokens.drain(place..end)),
        1 => {
            let doubled = tokens[place..end].to_vec();
            tokens.splice(end..end, doubled);
        }
        2 if tokens.len() > 1 => {
            let (one, other) = (rng.usize(0..tokens.len()), rng.usize(0..tokens.len()));
            tokens.swap(one, other);
        }
        3 => {
            // From here on another statement, or the whole of it.
            let others = self::tokens(pick(statements, rng));
            let from = rng.usize(0..=others.len());
            tokens.truncate(place);
            tokens.extend_from_slice(&others[from..]);
        }
        4 => {
            let others = self::tokens(pick(statements, rng));
            let from = rng.usize(0..=others.len());
            let until = (from + rng.usize(1..8)).min(others.len());
            tokens.splice(place..place, others[from..until].iter().cloned());
        }
        5 => insert(tokens, place, EDGES[rng.usize(0..EDGES.len())]),
        6 => insert(tokens, place, &format!(" {} ", WORDS[rng.usize(0..WORDS.len())])),
        7 => {
            let hostile = words.hostile;
            let lists = [hostile.expressions, hostile.sources, hostile.statements];
            let list = lists[rng.usize(0..lists.len())];
            insert(tokens, place, &format!(" {} ", list[rng.usize(0..list.len())]));
        }
        8 => {
            let wrapping = words.hostile.wrappings[rng.usize(0..words.hostile.wrappings.len())];
            *tokens = self::tokens(&wrapping.replace("{q}", &tokens.concat()));
        }
        _ if place < tokens.len() => {
            let others = self::tokens(pick(statements, rng));
            if let Some(other) = rng.choice(others) {
                tokens[place] = other;
            }
        }
        _ => {}
    }
}

fn insert(tokens: &mut Vec<String>, place: usize, token: &str) {
    tokens.insert(place.min(tokens.len()), token.to_owned());
}

fn pick<'a>(statements: &'a [String], rng: &mut Rng) -> &'a str {
    let short: Vec<&String> = statements.iter().filter(|statement| statement.len() <= LONGEST).collect();
    short[rng.usize(0..short.len())]
}

/// Words, quoted texts, white space, and every other character for itself. Together they are the statement.
fn tokens(sql: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let same = |belongs: fn(char) -> bool| rest.find(|it| !belongs(it)).unwrap_or(rest.len());
        let length = match first {
            '\'' | '"' | '`' => rest[1..].find(first).map_or(1, |end| end + 2),
            _ if is_of_word(first) => same(is_of_word),
            _ if first.is_whitespace() => same(char::is_whitespace),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = after;
    }
    tokens
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
