//! How many rows the nodes of a plan can give, as far as the planner's figures can be believed, and how many groups they make.

use std::collections::BTreeMap;

use serde_json::Value;

use super::expression::{Token, is_keyword, keeps_apart, last_part, table_of, tokens};
use super::{Known, inputs, is_stored, number, outputs, plans, text, with_alias};

/// Rows that something besides a table is taken to give behind a condition that the planner has no figures for.
const UNSEEN: f64 = 1_000_000.0;
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
        pair.into_iter().filter(is_beside).map(|column| times(column, node, known)).fold(1.0, f64::max)
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

/// The most rows that a node can give. What a node reads counts whole, but for what is known to lessen it: conditions that the
/// planner has figures for, a column that is held to one value, a limit, and keys that join.
pub(super) fn most_rows(node: &Value, known: &Known<'_>) -> f64 {
    let planned = number(node, "Plan Rows").max(1.0);
    let kind = text(node, "Node Type");
    if let Some(table) = node.get("Relation Name").and_then(Value::as_str) {
        let stored = (known.rows)(table).unwrap_or(known.largest).max(planned);
        let conditions = ["Filter", "Index Cond", "Recheck Cond"].map(|key| text(node, key));
        let conditions = || conditions.into_iter().filter(|condition| !condition.is_empty());
        let is_reckoned = conditions().next().is_some() && conditions().all(|condition| is_reckoned(condition, known));
        let left = if is_reckoned { together(planned, stored, conditions()) } else { stored };
        // Of a column that has come since, the engine has no figures yet.
        let of_value = conditions().map(|condition| of_value(condition, table, known)).fold(f64::INFINITY, f64::min);
        let left = if of_value.is_finite() { left.max(of_value) } else { left };
        return left.min(of_one_value(node, conditions(), known));
    }
    let most: Vec<f64> = inputs(node).map(|child| most_rows(child, known)).collect();
    match (kind, most.as_slice()) {
        ("CTE Scan", _) => of_cte(known.plan, text(node, "CTE Name")).map_or(planned, |cte| most_rows(cte, known)),
        ("Gather" | "Gather Merge", [most]) => most * (number(node, "Workers Planned") + 1.0),
        ("Append" | "Merge Append", each) => each.iter().sum::<f64>().min(of_partitions(node, known)).max(planned),
        // Where it expects fewer rows than the limit lets through, the limit isn't in its figure.
        ("Limit", [most]) => {
            let expected = inputs(node).map(|child| number(child, "Plan Rows")).fold(0.0, f64::max);
            let is_told = known.limit.is_finite() && planned < expected;
            most.min(if is_told { planned } else { known.limit.max(planned) })
        }
        // The planner takes each text for one of ten parts.
        ("Nested Loop", [outer, inner]) if parts_beside(node, *outer, known) > outer * inner => {
            let expected: f64 = inputs(node).map(|side| number(side, "Plan Rows").max(1.0)).product();
            parts_beside(node, *outer, known) * (planned / expected).min(1.0)
        }
        ("ProjectSet", [most]) => made_rows(outputs(node), *most, known).max(planned),
        (_, [one, two]) if kind.contains("Join") || kind == "Nested Loop" => joined(node, *one, *two, known),
        ("Aggregate", [_]) if node.get("Group Key").is_none() && node.get("Grouping Sets").is_none() => 1.0,
        ("Aggregate", [most]) => {
            let groups = inputs(node).next().map_or(f64::INFINITY, |input| different_groups(node, input, known));
            most.min(groups) * sets(node)
        }
        (_, [most]) => most * sets(node),
        // Rows that a condition of its own was to keep back.
        (_, []) if node.get("Filter").is_some() => planned.max(UNSEEN),
        (_, each) => each.iter().sum::<f64>().max(planned),
    }
}

/// The query of a common table expression, which stands once in a plan, wherever it is read.
fn of_cte<'v>(plan: &'v Value, name: &str) -> Option<&'v Value> {
    let is_it = |child: &&Value| text(child, "Subplan Name").strip_prefix("CTE ") == Some(name);
    plans(plan).find(is_it).or_else(|| plans(plan).find_map(|child| of_cte(child, name)))
}

/// How many rows below a node have the most frequent value of a column that lies there; any number where a query makes it.
pub(super) fn times(column: &str, node: &Value, known: &Known<'_>) -> f64 {
    let read = match table_of(column) {
        Some(alias) => with_alias(node, alias),
        None => innermost(node),
    };
    let table = read.and_then(|read| read.get("Relation Name")).and_then(Value::as_str);
    table.map_or(f64::INFINITY, |table| (known.repeated)(table, last_part(column)))
}

/// How many rows below a node have no value in a column that lies there; any number where a query makes it, or an outer join that
/// found no row of its table.
pub(super) fn without(column: &str, node: &Value, known: &Known<'_>) -> f64 {
    let read = match table_of(column) {
        Some(alias) => with_alias(node, alias),
        None => innermost(node),
    };
    let table = read.and_then(|read| read.get("Relation Name")).and_then(Value::as_str);
    let is_left_out = table_of(column).is_some_and(|alias| may_be_missing(node, alias));
    table.filter(|_| !is_left_out).map_or(f64::INFINITY, |table| (known.without)(table, last_part(column)))
}

/// Whether an outer join below a node gives rows without any of the table with that alias.
fn may_be_missing(node: &Value, alias: &str) -> bool {
    let sides: Vec<&Value> = inputs(node).collect();
    let kind = text(node, "Join Type");
    sides.iter().enumerate().any(|(place, side)| {
        let is_filled = match kind {
            "Left" => place == 1,
            "Right" => place == 0,
            "Full" => true,
            _ => false,
        };
        with_alias(side, alias).is_some() && (is_filled || may_be_missing(side, alias))
    })
}

/// The rows of partitions of one table, as often as they are put together; any number where the node has something else.
fn of_partitions(node: &Value, known: &Known<'_>) -> f64 {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for input in inputs(node) {
        match input.get("Relation Name").and_then(Value::as_str).filter(|name| (known.rows)(name).is_none()) {
            Some(name) => *times.entry(name).or_default() += 1,
            None => return f64::INFINITY,
        }
    }
    known.largest * times.into_values().max().unwrap_or(1) as f64
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

/// The rows that a join gives of so many on each side: for each of one side as many as fit it on the other. What the planner says
/// is the mean, where one value may have nearly all rows.
fn joined(node: &Value, one: f64, two: f64, known: &Known<'_>) -> f64 {
    let sides: Vec<&Value> = inputs(node).collect();
    let &[left, right] = sides.as_slice() else { return one * two };
    let of_left = one * fitting(node, right, known).min(two);
    // Of the inner side of a loop the plan says the rows of one turn.
    let both = match text(node, "Node Type") {
        "Nested Loop" => of_left,
        _ => of_left.min(two * fitting(node, left, known).min(one)),
    };
    match text(node, "Join Type") {
        "Left" => both.max(one),
        "Right" | "Right Anti" => both.max(two),
        "Full" => both.max(one + two),
        "Semi" | "Anti" => one,
        _ => both,
    }
}

/// The most rows of a side of a join that fit one row of the other.
fn fitting(node: &Value, side: &Value, known: &Known<'_>) -> f64 {
    let conditions = ["Hash Cond", "Merge Cond", "Join Filter"].map(|key| text(node, key));
    let equalities = conditions.into_iter().filter(|condition| !condition.contains(" OR "));
    let equalities = equalities.flat_map(|condition| condition.split(" AND ")).filter(|equality| keeps_apart(equality));
    let mut least = f64::INFINITY;
    for equality in equalities {
        let tokens = tokens(equality);
        let [Token::Word(one), Token::Operator(operator), Token::Word(other)] = tokens.as_slice() else { continue };
        let own = [one, other].into_iter().find(|column| {
            is_stored(column, side) && table_of(column).is_some_and(|alias| with_alias(side, alias).is_some())
        });
        if let Some(column) = own.filter(|_| operator == "=") {
            least = least.min(times(column, side, known) * repeats(side, table_of(column), known));
        }
    }
    least
}

/// The rows that conditions leave of so many, by the planner's figure for all of them: it multiplies the shares that each leaves,
/// as if they had nothing to do with each other. Together they leave no more than the least does, whatever they have to do with
/// each other, and the least of some shares is at most their geometric mean.
fn together<'v>(planned: f64, stored: f64, conditions: impl Iterator<Item = &'v str>) -> f64 {
    // Two ends of a range are reckoned as one.
    let mut shares: Vec<(String, usize)> = Vec::new();
    for condition in conditions {
        let tokens = tokens(condition);
        for (place, part) in tokens.split(is_and_or_or).enumerate() {
            let column = part.iter().find_map(|token| match token {
                Token::Word(word) if !is_keyword(word) => Some(last_part(word).to_owned()),
                _ => None,
            });
            let is_end = |token: &Token| matches!(token, Token::Operator(operator) if ["<", "<=", ">", ">="].contains(&operator.as_str()));
            let which = if part.iter().any(is_end) { usize::MAX } else { place };
            shares.extend(column.map(|column| (column, which)));
        }
    }
    shares.sort_unstable();
    shares.dedup();
    stored * (planned / stored).powf(1.0 / shares.len().max(1) as f64)
}

fn is_and_or_or(token: &Token) -> bool {
    matches!(token, Token::Word(word) if ["AND", "OR"].contains(&word.as_str()))
}

/// The rows that conditions leave which hold a column to one value, of whatever: as many as have the most frequent one.
fn of_one_value<'v>(node: &Value, conditions: impl Iterator<Item = &'v str>, known: &Known<'_>) -> f64 {
    let mut least = f64::INFINITY;
    for condition in conditions.filter(|condition| !condition.contains(" OR ") && !condition.contains("NOT ")) {
        for equality in condition.split(" AND ").filter(|equality| keeps_apart(equality)) {
            let tokens = tokens(equality);
            let [Token::Word(column), Token::Operator(operator), of @ ..] = tokens.as_slice() else { continue };
            // What stands in the same row may be another value for each.
            let is_of_row = |token: &Token| match token {
                Token::Word(word) => !word.starts_with('$') && (table_of(word) == table_of(column) || is_keyword(word)),
                _ => false,
            };
            if operator == "=" && !of.is_empty() && !of.iter().any(is_of_row) {
                least = least.min(times(column, node, known));
            }
        }
    }
    least
}

/// The rows that conditions leave by what somebody has counted of the constants in them; any number where none is known.
fn of_value(condition: &str, table: &str, known: &Known<'_>) -> f64 {
    if condition.contains(" OR ") || condition.contains("NOT ") {
        return f64::INFINITY;
    }
    let of_part = |part: &str| {
        let (column, value) = part.split_once(" = ")?;
        let column = column.trim_matches(['(', ')']).trim_end_matches("::text").trim_matches(['(', ')']);
        let value = value.trim_end_matches(')');
        let value = value.strip_prefix('\'').map_or(value, |rest| rest.split('\'').next().unwrap_or(rest));
        Some((known.of_value)(table, last_part(column), value)).filter(|rows| *rows > 0.0)
    };
    condition.split(" AND ").filter_map(of_part).fold(f64::INFINITY, f64::min)
}

/// Whether a condition is one that the planner has figures for: stored columns held against constants.
fn is_reckoned(condition: &str, known: &Known<'_>) -> bool {
    // Of values that are longer it keeps none to compare with: it guesses.
    const LONGEST: f64 = 1_024.0;
    let has_figures = |column: &str| {
        (known.has_figures)(last_part(column))
            && (known.width)(last_part(column)).is_none_or(|width| width.longest <= LONGEST)
    };
    let parts = tokens(condition);
    let mut parts =
        parts.split(|token| matches!(token, Token::Word(word) if ["AND", "OR", "NOT"].contains(&word.as_str())));
    let is_known = |part: &[Token]| {
        let compares =
            |op: &str| op.chars().all(|letter| "=<>~!*".contains(letter)) && op.contains(['=', '<', '>', '~']);
        match part {
            [] | [Token::Word(_)] => true,
            // Of many that it mustn't be, each takes a share of the rows once more.
            [Token::Word(column), Token::Operator(op), Token::Word(any), Token::Constant] if any == "ANY" => {
                compares(op) && has_figures(column)
            }
            // `IS NULL`, and what stands before the NOT of `IS NOT NULL`.
            [Token::Word(column), Token::Word(is)] => is == "IS" && has_figures(column),
            [Token::Word(column), Token::Word(is), Token::Word(null)] => {
                is == "IS" && null == "NULL" && has_figures(column)
            }
            [Token::Word(column), Token::Operator(op), of_no_column @ ..] => {
                compares(op)
                    && has_figures(column)
                    && !of_no_column.is_empty()
                    && of_no_column.iter().all(is_worked_out)
            }
            _ => false,
        }
    };
    parts.all(is_known) && casts_no_column(condition, known)
}

/// Whether no column is cast but a text to a text, which leaves it as it is. Of others the planner has no figures.
fn casts_no_column(condition: &str, known: &Known<'_>) -> bool {
    condition.match_indices(")::").all(|(end, _)| {
        let mut depth = 0_usize;
        let start = condition[..=end].char_indices().rev().find(|(_, sign)| {
            depth = match sign {
                ')' => depth + 1,
                '(' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let inside = tokens(&condition[start.map_or(0, |(start, _)| start)..end]);
        let is_column =
            |token: &&Token| matches!(token, Token::Word(word) if !is_keyword(word) && !is_worked_out(token));
        let Some(Token::Word(column)) = inside.iter().find(is_column) else { return true };
        let to = &condition[end + 3..];
        let is_text = ["text", "bpchar"].iter().any(|name| {
            to.strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|sign: char| sign == '(' || sign.is_alphanumeric()))
        });
        is_text && inside.len() == 1 && (known.is_text)(last_part(column))
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
    let rows = |column: &str| times(column, input, known).max(without(column, input, known));
    columns.map(|column| rows(&column) * repeats).fold(f64::INFINITY, f64::min)
}

/// As many groups as there are different values of what they are by, together: of columns as they lie there.
fn different_groups(node: &Value, input: &Value, known: &Known<'_>) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let of_key = |key: &str| match tokens(key).as_slice() {
        [Token::Word(column)] if is_stored(column, input) => {
            let read = match table_of(column) {
                Some(alias) => with_alias(input, alias),
                None => innermost(input),
            };
            let table = read.and_then(|read| read.get("Relation Name")).and_then(Value::as_str);
            // And one for those without.
            table.map_or(f64::INFINITY, |table| (known.different)(table, last_part(column)) + 1.0)
        }
        _ => f64::INFINITY,
    };
    keys.map(of_key).product()
}

/// The groups that the planner expects; as many as there may be rows where it has no figures, which are of tables alone.
pub(super) fn groups_at_once(node: &Value, input: &Value) -> f64 {
    let keys = node.get("Group Key").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut columns = keys.flat_map(tokens).filter_map(|token| match token {
        Token::Word(word) if !is_keyword(&word) => Some(word),
        _ => None,
    });
    // With a condition over groups it says how many are left.
    let is_known = columns.all(|column| is_stored(&column, input)) && node.get("Filter").is_none();
    match is_known && !joins_sets(input) {
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
