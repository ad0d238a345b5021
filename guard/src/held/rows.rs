//! How many rows the nodes of a plan can give, as far as the planner's figures can be believed, and how many groups they make.

use serde_json::Value;

use super::expression::{Token, is_keyword, last_part, table_of, tokens};
use super::{Known, inputs, is_stored, number, outputs, text, with_alias};

/// Rows that something besides a table is taken to give behind a condition that the planner has no figures for.
const UNSEEN: f64 = 1_000_000.0;
/// Times the planner's guess that a LIMIT can let through where its number isn't written out.
const LIMIT_SPREAD: f64 = 10.0;
/// Groups by stored columns come one at a time, or share the rows: no more than this is taken off for that.
const MOST_GROUPS: f64 = 100.0;

/// How many times the joins below a node take a row of the table with this alias, at most.
pub(super) fn repeats(node: &Value, alias: Option<&str>, known: &Known<'_>) -> f64 {
    let sides: Vec<&Value> = inputs(node).collect();
    let &[one, other] = sides.as_slice() else {
        return sides.into_iter().map(|side| repeats(side, alias, known)).product();
    };
    let kind = text(node, "Node Type");
    if !(kind.contains("Join") || kind == "Nested Loop") {
        return repeats(one, alias, known).max(repeats(other, alias, known));
    }
    let has = |side: &Value| alias.is_some_and(|alias| with_alias(side, alias).is_some());
    let beside = match (has(one), has(other)) {
        (true, false) => vec![other],
        (false, true) => vec![one],
        _ => vec![one, other],
    };
    // Rows that fit one: as many as have the most frequent value of what they are held together by.
    let mut conditions: Vec<&str> = ["Hash Cond", "Merge Cond", "Join Filter"].map(|key| text(node, key)).to_vec();
    conditions
        .extend(innermost(other).into_iter().flat_map(|inner| [text(inner, "Index Cond"), text(inner, "Filter")]));
    let tokens: Vec<Vec<Token>> = conditions.into_iter().map(tokens).collect();
    let equal = tokens.iter().flat_map(|tokens| tokens.windows(3)).filter_map(|three| match three {
        [Token::Word(left), Token::Operator(operator), Token::Word(right)] if operator == "=" => Some([left, right]),
        _ => None,
    });
    let fitting = equal.map(|pair| {
        let is_beside =
            |column: &&String| beside.len() == 2 || table_of(column).is_none_or(|table| Some(table) != alias);
        pair.into_iter().filter(is_beside).map(|column| (known.repeated)(last_part(column))).fold(1.0, f64::max)
    });
    let all = beside.iter().map(|side| most_rows(side, known)).fold(1.0, f64::max);
    let times = fitting.fold(f64::INFINITY, f64::min);
    let times = if times.is_finite() { times.min(all) } else { all };
    times * repeats(one, alias, known) * repeats(other, alias, known)
}

/// What a side of a join reads in the end, where that is one table.
fn innermost(node: &Value) -> Option<&Value> {
    let mut node = node;
    loop {
        let sides: Vec<&Value> = inputs(node).collect();
        match sides.as_slice() {
            [] => return Some(node),
            [one] => node = one,
            _ => return None,
        }
    }
}

/// The most rows that a node can give, as far as the planner has figures.
pub(super) fn most_rows(node: &Value, known: &Known<'_>) -> f64 {
    let planned = number(node, "Plan Rows").max(1.0);
    let condition =
        |keys: &[&str]| keys.iter().all(|key| node.get(key).and_then(Value::as_str).is_none_or(is_reckoned));
    let kind = text(node, "Node Type");
    let inputs: Vec<(f64, f64)> =
        inputs(node).map(|child| (number(child, "Plan Rows").max(1.0), most_rows(child, known))).collect();
    let most = inputs.iter().map(|(_, most)| most);
    if let Some(table) = node.get("Relation Name").and_then(Value::as_str) {
        let stored = || (known.rows)(table).unwrap_or(planned);
        let keys = ["Filter", "Index Cond", "Recheck Cond"];
        return match condition(&keys) {
            true => together(planned, stored(), keys.iter().map(|key| text(node, key))),
            false => stored().max(planned),
        };
    }
    match (kind, inputs.as_slice()) {
        ("Gather" | "Gather Merge", [(_, most)]) => most * (number(node, "Workers Planned") + 1.0),
        ("Append" | "Merge Append", _) => most.sum::<f64>().max(planned),
        ("Limit", [(_, most)]) => most.min(planned * LIMIT_SPREAD),
        // The planner takes each text for one of ten parts.
        ("Nested Loop", [(few_outer, outer), (few_inner, inner)])
            if parts_beside(node, *outer, known) > outer * inner =>
        {
            parts_beside(node, *outer, known) * (planned / (few_outer * few_inner)).min(1.0)
        }
        ("ProjectSet", [(_, most)]) => made_rows(outputs(node), *most, known).max(planned),
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

/// The rows that a function makes of texts or documents of the other side of a join, of so many of these.
fn parts_beside(node: &Value, rows: f64, known: &Known<'_>) -> f64 {
    let inner = inputs(node).nth(1).and_then(innermost);
    let call = inner.filter(|inner| text(inner, "Node Type").ends_with("Function Scan"));
    let call = call.map(|inner| match text(inner, "Function Call") {
        "" => text(inner, "Table Function Call"),
        call => call,
    });
    made_rows(call.into_iter(), rows, known)
}

/// The rows that expressions make of so many, where they take stored values apart: as many as have room in these.
fn made_rows<'v>(expressions: impl Iterator<Item = &'v str>, rows: f64, known: &Known<'_>) -> f64 {
    /// Bytes of a part: of a text with what separates it from the next, of a document with its name.
    const OF_TEXT: f64 = 4.0;
    const OF_DOCUMENT: f64 = 16.0;
    let of_one = |expression: &str| {
        let tokens = tokens(expression);
        let called = |part: &str| tokens.iter().any(|token| matches!(token, Token::Call(name) if name.contains(part)));
        let each = match called("json") {
            true => OF_DOCUMENT,
            false if ["unnest", "to_table", "matches"].iter().any(|part| called(part)) => OF_TEXT,
            false => return 0.0,
        };
        let widths = tokens.iter().filter_map(|token| match token {
            Token::Word(word) if !is_keyword(word) => Some((known.width)(last_part(word)).unwrap_or(known.row)),
            _ => None,
        });
        widths.map(|width| width.of_rows(rows)).sum::<f64>() / each
    };
    expressions.map(of_one).fold(rows, f64::max)
}

/// The rows that conditions leave of so many, by the planner's figure for all of them: it multiplies what each leaves, as if they
/// had nothing to do with each other. Where they are about several columns, half of them may say what the others say.
fn together<'v>(planned: f64, stored: f64, conditions: impl Iterator<Item = &'v str>) -> f64 {
    /// By no more than so much is it taken to be wrong.
    const MOST: f64 = 100.0;
    let mut columns: Vec<String> = conditions
        .flat_map(tokens)
        .filter_map(|token| match token {
            Token::Word(word) if !is_keyword(&word) => Some(last_part(&word).to_owned()),
            _ => None,
        })
        .collect();
    columns.sort_unstable();
    columns.dedup();
    match columns.len() {
        0 | 1 => planned,
        _ => (planned * stored.max(planned)).sqrt().min(MOST * planned),
    }
}

/// Whether a condition is one that the planner has figures for: stored columns held against constants or each other.
pub(super) fn is_reckoned(condition: &str) -> bool {
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

/// The rows of the group that has most, where groups are by stored columns and come one at a time.
pub(super) fn of_largest_group(node: &Value, input: &Value, known: &Known<'_>) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let columns = keys.flat_map(tokens).filter_map(|token| match token {
        Token::Word(word) if !is_keyword(&word) => Some(word),
        _ => None,
    });
    let repeats = repeats(input, None, known);
    columns.map(|column| (known.repeated)(last_part(&column)) * repeats).fold(f64::INFINITY, f64::min)
}

/// The groups that the planner expects; as many as there may be rows where it has no figures, which are of tables alone.
pub(super) fn groups_at_once(node: &Value, input: &Value) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut columns = keys.flat_map(tokens).filter_map(|token| match token {
        Token::Word(word) if !is_keyword(&word) => Some(word),
        _ => None,
    });
    match columns.all(|column| is_stored(&column, input)) && !joins_sets(input) {
        true => number(node, "Plan Rows"),
        false => f64::INFINITY,
    }
}

/// Whether rows of several queries are put together below a node.
pub(super) fn joins_sets(node: &Value) -> bool {
    text(node, "Node Type").ends_with("Append") || inputs(node).any(joins_sets)
}

/// By how much groups of stored columns lessen what is held at once.
pub(super) fn groups(node: &Value) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_column = |key: &Value| key.as_str().is_some_and(|key| matches!(tokens(key).as_slice(), [Token::Word(_)]));
    if keys.is_empty() || !keys.iter().all(is_column) || text(node, "Strategy") != "Sorted" {
        return 1.0;
    }
    number(node, "Plan Rows").clamp(1.0, MOST_GROUPS)
}

/// How many times rows are aggregated at once: each set of groups has states of its own.
pub(super) fn sets(node: &Value) -> f64 {
    let Some(sets) = node.get("Grouping Sets").and_then(Value::as_array) else { return 1.0 };
    let keys = |set: &Value| {
        ["Group Keys", "Hash Keys"].iter().filter_map(|keys| set.get(keys)?.as_array()).map(Vec::len).sum::<usize>()
    };
    sets.iter().map(keys).sum::<usize>().max(1) as f64
}
