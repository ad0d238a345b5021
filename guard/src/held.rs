//! What PostgreSQL would hold in memory for a plan: aggregates that keep every value they are given, and tables that rows are
//! looked up in.
//!
//! The engine bounds sorts and hashes by `work_mem` and puts the rest on the disk, but nothing bounds the states of
//! `array_agg` and its kin. So they are reckoned: rows that reach the aggregate, times bytes kept for each. The planner's
//! rows are believed only behind conditions that it has figures for; who writes `a || '' = a` for "all" would otherwise
//! be taken for asking for two hundredths of a table.

use serde_json::Value;

/// Sizes of columns, by their name, and of tables in rows, by theirs; `None` where nobody knows.
pub(crate) struct Known<'a> {
    pub(crate) width: &'a dyn Fn(&str) -> Option<Width>,
    pub(crate) rows: &'a dyn Fn(&str) -> Option<f64>,
    /// The size of the largest row of the tables that are read, as text: what the planner says of a long value is its pointer.
    pub(crate) row: Width,
    /// Times the stored data in it that the statement makes of a value before this function keeps it.
    pub(crate) made: &'a dyn Fn(&str) -> f64,
    /// Whether the statement makes arrays of queries, which a plan doesn't tell from queries of one value.
    pub(crate) arrays: bool,
}

/// Bytes of a value as text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Width {
    pub(crate) mean: f64,
    pub(crate) longest: f64,
}

impl Width {
    pub(crate) fn and(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, longest: self.longest + other.longest }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self { mean: self.mean.max(other.mean), longest: self.longest.max(other.longest) }
    }

    fn of_all(bytes: f64) -> Self {
        Self { mean: bytes, longest: bytes }
    }

    /// What this becomes where so many are kept: one of them may be the longest.
    fn of_rows(self, rows: f64) -> f64 {
        rows * self.mean + (self.longest - self.mean).max(0.0)
    }
}

/// What is kept besides a value: a pointer, the header of its memory, and what rounding up to powers of two adds.
const OVERHEAD: f64 = 24.0;
/// A value is held twice: as it was given, and in the result; and buffers double as they grow.
const COPIES: f64 = 2.0;
/// Documents are held as trees and as texts with the names of their fields.
const COPIES_OF_DOCUMENTS: f64 = 4.0;
/// The result of a query in an expression is copied once more.
const COPIES_OF_QUERIES: f64 = 3.0;
/// Bytes that PostgreSQL 15 takes for each range that it makes a multirange of, as it was measured over a million.
const RANGE: f64 = 3_500.0;
/// Groups by stored columns come one at a time, or share the rows: no more than this is taken off for that.
const MOST_GROUPS: f64 = 100.0;
/// Rows that something besides a table is taken to give behind a condition that the planner has no figures for.
const UNSEEN: f64 = 1_000_000.0;
/// Times the planner's guess that a LIMIT can let through where its number isn't written out.
const LIMIT_SPREAD: f64 = 10.0;

/// Bytes that all such aggregates of a plan hold.
pub(crate) fn bytes(node: &Value, known: &Known<'_>) -> f64 {
    let below: f64 = plans(node).map(|child| bytes(child, known) + in_an_array(child, known)).sum();
    below + own_bytes(node, known) + hashed_bytes(node, known)
}

/// What PostgreSQL keeps of each row in a table that it can't put on the disk, besides the row.
const HASHED: f64 = 80.0;

/// Bytes of the tables in memory that EXCEPT, INTERSECT and `NOT IN (SELECT …)` look rows up in. The engine takes them where
/// it expects few rows, and puts none of them on the disk if there are more.
fn hashed_bytes(node: &Value, known: &Known<'_>) -> f64 {
    let kept = |child: &Value| {
        let outputs = child.get("Output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_stored = |output: &Value| {
            output
                .as_str()
                .is_some_and(|output| matches!(tokens(output).as_slice(), [Token::Word(_)] | [Token::Constant]))
        };
        let width = number(child, "Plan Width");
        let width = Width::of_all(width + HASHED);
        let width = if outputs.iter().all(is_stored) { width } else { width.or(known.row.and(Width::of_all(HASHED))) };
        width.of_rows(most_rows(child, known))
    };
    if text(node, "Node Type") == "SetOp" && text(node, "Strategy") == "Hashed" {
        return inputs(node).map(kept).sum();
    }
    let conditions: Vec<&str> =
        node.as_object().into_iter().flatten().filter_map(|(_, field)| field.as_str()).collect();
    let outputs = node.get("Output").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let expressions: Vec<&str> = conditions.into_iter().chain(outputs).collect();
    let is_hashed = |child: &&Value| {
        let name = format!("hashed {}", text(child, "Subplan Name"));
        text(child, "Parent Relationship") == "SubPlan"
            && expressions.iter().any(|expression| expression.contains(&name))
    };
    plans(node).filter(is_hashed).map(kept).sum()
}

/// What `ARRAY(SELECT …)` keeps, where the node is such a query.
fn in_an_array(node: &Value, known: &Known<'_>) -> f64 {
    let stands_in_an_expression = ["SubPlan", "InitPlan"].contains(&text(node, "Parent Relationship"));
    if !known.arrays || !stands_in_an_expression || text(node, "Subplan Name").starts_with("CTE ") {
        return 0.0;
    }
    most_rows(node, known) * (number(node, "Plan Width") * COPIES_OF_QUERIES * (known.made)("array") + OVERHEAD)
}

fn own_bytes(node: &Value, known: &Known<'_>) -> f64 {
    if !["Aggregate", "WindowAgg"].contains(&text(node, "Node Type")) {
        return 0.0;
    }
    let outputs = node.get("Output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut calls: Vec<(&str, &str)> = outputs.iter().filter_map(Value::as_str).flat_map(collecting).collect();
    calls.sort_unstable();
    // The same call is worked out once.
    calls.dedup();
    let Some(input) = inputs(node).next().filter(|_| !calls.is_empty()) else { return 0.0 };
    let rows = most_rows(input, known);
    let whole = number(input, "Plan Width");
    // What a function gives may be called like a column.
    let made = made_by_functions(node);
    let width = |column: &str| {
        let mut parts = column.rsplit('.').map(|part| part.trim_matches('"'));
        let (name, of) = (parts.next().unwrap_or(column), parts.next().unwrap_or_default());
        (known.width)(name).filter(|_| !made.contains(&of) && !made.contains(&name))
    };
    let known = Known { width: &width, ..*known };
    let each = calls.iter().map(|(name, arguments)| kept(name, arguments, whole, &known));
    each.fold(Width::default(), Width::and).of_rows(rows / groups(node)) * sets(node)
}

/// The names that functions in FROM have below a node.
fn made_by_functions(node: &Value) -> Vec<&str> {
    let is_function = text(node, "Node Type") == "Function Scan" || text(node, "Node Type") == "Table Function Scan";
    let own = node.get("Alias").and_then(Value::as_str).filter(|_| is_function);
    own.into_iter().chain(plans(node).flat_map(made_by_functions)).collect()
}

/// Bytes that a call keeps of one row.
fn kept(name: &str, arguments: &str, whole: f64, known: &Known<'_>) -> Width {
    let tokens = tokens(arguments);
    let columns = tokens.iter().filter_map(|token| match token {
        Token::Word(word) if !is_keyword(word) => Some(word.as_str()),
        _ => None,
    });
    let widths: Option<Vec<Width>> = columns.map(|column| (known.width)(column)).collect();
    let width = widths
        .and_then(|widths| widths.into_iter().reduce(Width::and))
        .unwrap_or_else(|| known.row.or(Width::of_all(whole)));
    if name == "range_agg" {
        return Width::of_all(RANGE);
    }
    let document = name.starts_with("json") || name.starts_with("xml");
    let copies = if document { COPIES_OF_DOCUMENTS } else { COPIES };
    let times = (known.made)(name) * copies;
    let own = Width::of_all(if document { copies * OVERHEAD } else { OVERHEAD });
    Width { mean: width.mean * times, longest: width.longest * times }.and(own)
}

/// How many times rows are aggregated at once: each set of groups has states of its own.
fn sets(node: &Value) -> f64 {
    let Some(sets) = node.get("Grouping Sets").and_then(Value::as_array) else { return 1.0 };
    let keys = |set: &Value| {
        ["Group Keys", "Hash Keys"].iter().filter_map(|keys| set.get(keys)?.as_array()).map(Vec::len).sum::<usize>()
    };
    sets.iter().map(keys).sum::<usize>().max(1) as f64
}

/// By how much groups of stored columns lessen what is held at once.
fn groups(node: &Value) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_column = |key: &Value| key.as_str().is_some_and(|key| matches!(tokens(key).as_slice(), [Token::Word(_)]));
    if keys.is_empty() || !keys.iter().all(is_column) || text(node, "Strategy") != "Sorted" {
        return 1.0;
    }
    number(node, "Plan Rows").clamp(1.0, MOST_GROUPS)
}

/// The most rows that a node can give, as far as the planner has figures.
fn most_rows(node: &Value, known: &Known<'_>) -> f64 {
    let planned = number(node, "Plan Rows").max(1.0);
    let condition =
        |keys: &[&str]| keys.iter().all(|key| node.get(key).and_then(Value::as_str).is_none_or(is_reckoned));
    let kind = text(node, "Node Type");
    let inputs: Vec<(f64, f64)> =
        inputs(node).map(|child| (number(child, "Plan Rows").max(1.0), most_rows(child, known))).collect();
    let most = inputs.iter().map(|(_, most)| most);
    if let Some(table) = node.get("Relation Name").and_then(Value::as_str) {
        let stored = || (known.rows)(table).unwrap_or(planned);
        return if condition(&["Filter", "Index Cond", "Recheck Cond"]) { planned } else { stored().max(planned) };
    }
    match (kind, inputs.as_slice()) {
        ("Gather" | "Gather Merge", [(_, most)]) => most * (number(node, "Workers Planned") + 1.0),
        ("Append" | "Merge Append", _) => most.sum::<f64>().max(planned),
        ("Limit", [(_, most)]) => most.min(planned * LIMIT_SPREAD),
        (_, [_, _]) if kind.contains("Join") || kind == "Nested Loop" => {
            if condition(&["Join Filter", "Hash Cond", "Merge Cond"]) {
                inputs.iter().fold(planned, |rows, (planned, most)| rows * most / planned)
            } else {
                most.product::<f64>().max(planned)
            }
        }
        ("Aggregate", [_]) if node.get("Group Key").is_none() && node.get("Grouping Sets").is_none() => 1.0,
        // Rows that a condition of its own was to keep back.
        (_, []) if !condition(&["Filter", "One-Time Filter"]) => planned.max(UNSEEN),
        (_, [(_, most)]) if !condition(&["Filter", "One-Time Filter"]) => most.max(planned),
        (_, [(below, most)]) => planned * most / below,
        _ => planned,
    }
}

/// Whether a condition is one that the planner has figures for: stored columns held against constants or each other.
fn is_reckoned(condition: &str) -> bool {
    tokens(condition)
        .split(|token| matches!(token, Token::Word(word) if ["AND", "OR", "NOT"].contains(&word.as_str())))
        .all(|part| {
            let compares =
                |op: &str| op.chars().all(|letter| "=<>~!*".contains(letter)) && op.contains(['=', '<', '>', '~']);
            match part {
                [] | [Token::Word(_)] => true,
                [Token::Word(_), Token::Operator(op), Token::Word(any), Token::Constant]
                    if any == "ANY" || any == "ALL" =>
                {
                    compares(op)
                }
                // Joins.
                [Token::Word(one), Token::Operator(op), Token::Word(other)] => {
                    op == "=" && one.split('.').next() != other.split('.').next()
                }
                // `IS NULL`, and what stands before the NOT of `IS NOT NULL`.
                [Token::Word(_), Token::Word(is)] => is == "IS",
                [Token::Word(_), Token::Word(is), Token::Word(null)] => is == "IS" && null == "NULL",
                [Token::Word(_), Token::Operator(op), of_no_column @ ..] => {
                    compares(op) && !of_no_column.is_empty() && of_no_column.iter().all(is_worked_out)
                }
                _ => false,
            }
        })
}

/// Whether the planner works a part of an expression out before it looks at its figures.
fn is_worked_out(token: &Token) -> bool {
    match token {
        Token::Constant | Token::Operator(_) => true,
        Token::Word(word) => word.starts_with("CURRENT_") || word.starts_with("LOCALTIME"),
        Token::Call(name) => !["random", "clock_timestamp", "timeofday", "gen_random_uuid"].contains(&name.as_str()),
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    /// A name with what stands before it, or a keyword.
    Word(String),
    Constant,
    Operator(String),
    /// A name with a bracket behind it.
    Call(String),
}

fn is_keyword(word: &str) -> bool {
    [
        "DISTINCT", "ORDER", "BY", "DESC", "ASC", "NULLS", "FIRST", "LAST", "AND", "OR", "NOT", "CASE", "WHEN", "THEN",
        "ELSE", "END", "IS", "NULL", "ANY", "ALL",
    ]
    .contains(&word)
}

/// The tokens of an expression as EXPLAIN writes it, without brackets and casts.
fn tokens(expression: &str) -> Vec<Token> {
    let letters: Vec<char> = expression.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    let is_word = |letter: char| letter.is_alphanumeric() || "_.$\"".contains(letter);
    let quoted = |from: usize, quote: char| {
        let mut at = from + 1;
        while at < letters.len() && (letters[at] != quote || letters.get(at + 1) == Some(&quote)) {
            at += if letters[at] == quote { 2 } else { 1 };
        }
        at + 1
    };
    while let Some(&letter) = letters.get(at) {
        let start = at;
        match letter {
            '\'' => {
                at = quoted(at, '\'');
                tokens.push(Token::Constant);
            }
            ':' if letters.get(at + 1) == Some(&':') => at = behind_cast(&letters, at + 2),
            letter
                if letter.is_ascii_digit()
                    || letter == '-' && letters.get(at + 1).is_some_and(char::is_ascii_digit) =>
            {
                at += 1;
                while letters.get(at).is_some_and(|&letter| is_word(letter)) {
                    at += 1;
                }
                tokens.push(Token::Constant);
            }
            letter if is_word(letter) => {
                while let Some(&letter) = letters.get(at).filter(|&&letter| is_word(letter)) {
                    at = if letter == '"' { quoted(at, '"') } else { at + 1 };
                }
                let word: String = letters[start..at.min(letters.len())].iter().collect();
                tokens.push(if letters.get(at) == Some(&'(') { Token::Call(word) } else { Token::Word(word) });
            }
            letter if letter.is_whitespace() || "(),[]".contains(letter) => at += 1,
            _ => {
                while letters
                    .get(at)
                    .is_some_and(|&letter| !is_word(letter) && !letter.is_whitespace() && !"(),[]'".contains(letter))
                {
                    at += 1;
                }
                tokens.push(Token::Operator(letters[start..at].iter().collect()));
            }
        }
    }
    tokens
}

/// The place behind the type of a cast: words, and a length in brackets.
fn behind_cast(letters: &[char], from: usize) -> usize {
    const MORE_WORDS: [&str; 5] = [" varying", " precision", " without time zone", " with time zone", "[]"];
    let mut at = from;
    while letters.get(at).is_some_and(|&letter| letter.is_alphanumeric() || "_.\"".contains(letter)) {
        at += 1;
    }
    loop {
        let follows =
            |words: &&&str| letters[at.min(letters.len())..].iter().copied().take(words.len()).eq(words.chars());
        match MORE_WORDS.iter().find(follows) {
            Some(words) => at += words.len(),
            None if letters.get(at) == Some(&'(') => {
                let end = letters[at..].iter().position(|&letter| letter == ')');
                at = end.map_or(letters.len(), |end| at + end + 1);
            }
            None => return at,
        }
    }
}

/// The calls of functions that keep what they are given, each with its arguments.
fn collecting(output: &str) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    for (open, _) in output.match_indices('(') {
        let start = output[..open].rfind(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let name = &output[start.map_or(0, |start| start + 1)..open];
        if !sql::keeps_values(name) {
            continue;
        }
        let mut depth = 0_usize;
        let end = output[open..].find(|letter: char| {
            depth = match letter {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        calls.push((name, end.map_or(&output[open..], |end| &output[open + 1..open + end])));
    }
    calls
}

fn plans(node: &Value) -> impl Iterator<Item = &Value> {
    node.get("Plans").and_then(Value::as_array).into_iter().flatten()
}

/// What a node reads its rows from: not the queries that stand in its expressions.
fn inputs(node: &Value) -> impl Iterator<Item = &Value> {
    plans(node).filter(|child| !["SubPlan", "InitPlan"].contains(&text(child, "Parent Relationship")))
}

fn text<'v>(node: &'v Value, key: &str) -> &'v str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(node: &Value, key: &str) -> f64 {
    node.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
