//! What PostgreSQL would hold in memory for a plan: aggregates that keep every value they are given, tables that rows are looked up
//! in, the longest values of groups, the first rows of a sort.
//!
//! The engine bounds most sorts and hashes by `work_mem` and puts the rest on the disk, but nothing bounds the states of
//! `array_agg` and its kin, nor what long values come to where it expected short ones. So they are reckoned: rows that reach the aggregate, times bytes kept for each. The planner's
//! rows are believed only behind conditions that it has figures for; who writes `a || '' = a` for "all" would otherwise
//! be taken for asking for two hundredths of a table.

mod expression;

use serde_json::Value;

use self::expression::{Call, Token, calls, is_keyword, last_part, table_of, tokens};

/// Sizes of columns, by their name, and of tables in rows, by theirs; `None` where nobody knows.
pub(crate) struct Known<'a> {
    pub(crate) width: &'a dyn Fn(&str) -> Option<Width>,
    pub(crate) rows: &'a dyn Fn(&str) -> Option<f64>,
    /// The size of the largest row of the tables that are read, as text: what the planner says of a long value is its pointer.
    pub(crate) row: Width,
    /// How many rows have the most frequent value of a column, by its name.
    pub(crate) repeated: &'a dyn Fn(&str) -> f64,
    /// Times the stored data in it that the statement makes of a value before this function keeps it.
    pub(crate) made: &'a dyn Fn(&str) -> f64,
    /// Whether the statement makes arrays of queries, which a plan doesn't tell from queries of one value.
    pub(crate) arrays: bool,
}

/// Bytes of the values of a column, as text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Width {
    pub(crate) mean: f64,
    pub(crate) longest: f64,
    /// All of them together, each once.
    pub(crate) all: f64,
}

impl Width {
    pub(crate) fn and(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, longest: self.longest + other.longest, all: self.all + other.all }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self { mean: self.mean.max(other.mean), longest: self.longest.max(other.longest), all: self.all.max(other.all) }
    }

    /// Of values that are all of one size.
    pub(crate) fn of_each(bytes: f64) -> Self {
        Self { mean: bytes, longest: bytes, all: f64::INFINITY }
    }

    fn times(self, times: f64) -> Self {
        Self { mean: self.mean * times, longest: self.longest * times, all: self.all * times }
    }

    /// The same where joins take each value up to so many times.
    fn repeated(self, times: f64) -> Self {
        Self { all: self.all + self.longest * times, ..self }
    }

    /// The most that so many of them have: any may be the longest, as far as there are such.
    fn of_rows(self, rows: f64) -> f64 {
        (rows * self.mean).max((rows * self.longest).min(self.all))
    }
}

/// What is kept besides a value: a pointer, the header of its memory, and what rounding up to powers of two adds.
const OVERHEAD: f64 = 24.0;
/// What is taken for the size of a value that no column goes into.
const OF_NO_COLUMN: f64 = 32.0;
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

/// Bytes that a plan holds of all that.
pub(crate) fn bytes(node: &Value, known: &Known<'_>) -> f64 {
    let below: f64 = plans(node).map(|child| bytes(child, known) + in_an_array(child, known)).sum();
    below + own_bytes(node, known) + hashed_bytes(node, known) + first_rows(node, known)
}

/// What PostgreSQL keeps of each row in a table that it can't put on the disk, besides the row.
const HASHED: f64 = 80.0;

/// Bytes of the tables in memory that EXCEPT, INTERSECT and `NOT IN (SELECT …)` look rows up in. The engine takes them where
/// it expects few rows, and puts none of them on the disk if there are more.
fn hashed_bytes(node: &Value, known: &Known<'_>) -> f64 {
    let kept = |child: &Value| {
        let rows = most_rows(child, known);
        rows * (number(child, "Plan Width") + HASHED) + made_of(child, rows, known)
    };
    // Rows of a join's table are put on the disk by their keys, which may all be the same.
    if text(node, "Node Type") == "Hash" {
        return inputs(node).map(|child| made_of(child, most_rows(child, known), known)).sum();
    }
    if text(node, "Node Type") == "Hash Join" {
        return inputs(node)
            .filter(|side| text(side, "Node Type") == "Hash")
            .map(|side| of_one_key(node, side, known))
            .sum();
    }
    if text(node, "Node Type") == "SetOp" && text(node, "Strategy") == "Hashed" {
        return inputs(node).map(kept).sum();
    }
    let conditions: Vec<&str> =
        node.as_object().into_iter().flatten().filter_map(|(_, field)| field.as_str()).collect();
    let expressions: Vec<&str> = conditions.into_iter().chain(outputs(node)).collect();
    let is_hashed = |child: &&Value| {
        let name = format!("hashed {}", text(child, "Subplan Name"));
        text(child, "Parent Relationship") == "SubPlan"
            && expressions.iter().any(|expression| expression.contains(&name))
    };
    plans(node).filter(is_hashed).map(kept).sum()
}

/// Bytes of the rows in a join's table that have the same key, which stay together in memory. What a key becomes that isn't a
/// column as it lies there, or in other letters, may be one thing for all rows.
fn of_one_key(node: &Value, side: &Value, known: &Known<'_>) -> f64 {
    const KEEPING: [&str; 8] = ["lower", "upper", "btrim", "ltrim", "rtrim", "trim", "coalesce", "md5"];
    /// Parallel plans say the rows of one process.
    const PROCESSES: f64 = 3.0;
    let rows = most_rows(side, known) * if side["Parallel Aware"] == Value::Bool(true) { PROCESSES } else { 1.0 };
    let mut together = rows;
    for equality in text(node, "Hash Cond").split(" AND ") {
        let tokens = tokens(equality);
        let mut sides = tokens.split(|token| matches!(token, Token::Operator(operator) if operator == "="));
        let inner = sides.find(|tokens| {
            let is_inner = |token: &Token| match token {
                Token::Word(word) => table_of(word).is_some_and(|alias| with_alias(side, alias).is_some()),
                _ => false,
            };
            tokens.iter().any(is_inner)
        });
        let columns = inner.into_iter().flatten().filter_map(|token| match token {
            Token::Word(word) if !is_keyword(word) => Some(word),
            _ => None,
        });
        let keeps = |token: &Token| match token {
            Token::Call(name) => KEEPING.contains(&name.as_str()),
            Token::Operator(operator) => operator == "::",
            _ => true,
        };
        let mut same = f64::INFINITY;
        for column in columns {
            // How often a column of a query comes again, nobody knows.
            let times = if is_stored(column, side) { (known.repeated)(last_part(column)) } else { rows };
            same = same.min(times);
        }
        if inner.is_some_and(|tokens| tokens.iter().all(keeps)) && same.is_finite() {
            together = together.min(same);
        }
    }
    together * (number(side, "Plan Width") + HASHED)
}

/// Bytes of the values that a node gives, and no table holds, in so many rows.
fn made_of(node: &Value, rows: f64, known: &Known<'_>) -> f64 {
    // Of some nodes the plan says no more than whose rows they give.
    if outputs(node).next().is_none() {
        return inputs(node).map(|child| made_of(child, most_rows(child, known), known)).sum();
    }
    let made = outputs(node).filter(|output| !is_stored(output, node));
    made.map(|output| width_or_row(output, node, known).of_rows(rows)).sum()
}

/// What sorting for a few rows alone keeps in memory: those, as far as no table holds them.
fn first_rows(node: &Value, known: &Known<'_>) -> f64 {
    let sorted = inputs(node).find(|child| text(child, "Node Type").ends_with("Sort"));
    let sorted = sorted.filter(|_| text(node, "Node Type") == "Limit");
    let rows = most_rows(node, known);
    sorted.and_then(|sort| inputs(sort).next()).map_or(0.0, |child| made_of(child, rows, known))
}

/// What `ARRAY(SELECT …)` keeps, where the node is such a query.
fn in_an_array(node: &Value, known: &Known<'_>) -> f64 {
    let stands_in_an_expression = ["SubPlan", "InitPlan"].contains(&text(node, "Parent Relationship"));
    if !known.arrays || !stands_in_an_expression || text(node, "Subplan Name").starts_with("CTE ") {
        return 0.0;
    }
    let rows = most_rows(node, known);
    let widths = outputs(node).map(|output| width_or_row(output, node, known).of_rows(rows));
    let values = widths.sum::<f64>().max(rows * number(node, "Plan Width"));
    values * COPIES_OF_QUERIES * (known.made)("array") + rows * OVERHEAD
}

fn own_bytes(node: &Value, known: &Known<'_>) -> f64 {
    if !["Aggregate", "WindowAgg"].contains(&text(node, "Node Type")) {
        return 0.0;
    }
    let Some(input) = inputs(node).next() else { return 0.0 };
    // A condition over groups has calls of its own.
    let expressions: Vec<&str> = outputs(node).chain(std::iter::once(text(node, "Filter"))).collect();
    let of = |is_wanted: fn(&str) -> bool| {
        let mut calls: Vec<Call<'_>> = expressions.iter().flat_map(|output| calls(output, is_wanted)).collect();
        calls.sort_unstable();
        // The same call is worked out once.
        calls.dedup();
        calls
    };
    let all = most_rows(input, known);
    let rows = all / groups(node);
    let each = of(sql::keeps_values).into_iter().map(|call| kept(&call, input, known));
    let kept: f64 = each.map(|(width, own)| width.of_rows(rows) + rows * own).sum();
    // Of each group in a table in memory one value is held, which may have been short when the group was new.
    let is_hashed = ["Hashed", "Mixed"].contains(&text(node, "Strategy"));
    let held =
        |call: Call<'_>| width_or_row(call.arguments, input, known).of_rows(groups_at_once(node, input).min(all));
    let held: f64 = of(is_of_ends).into_iter().filter(|_| is_hashed).map(held).sum();
    (kept + held) * sets(node)
}

/// The groups that the planner expects; as many as there may be rows where it has no figures, which are of tables alone.
fn groups_at_once(node: &Value, input: &Value) -> f64 {
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
fn joins_sets(node: &Value) -> bool {
    text(node, "Node Type").ends_with("Append") || inputs(node).any(joins_sets)
}

/// Whether an aggregate gives one of the values that it is given.
fn is_of_ends(name: &str) -> bool {
    ["max", "min"].contains(&name)
}

/// What a call keeps of the values that it is given, and bytes besides of each row.
fn kept(call: &Call<'_>, input: &Value, known: &Known<'_>) -> (Width, f64) {
    let &Call { name, arguments, .. } = call;
    if name == "range_agg" {
        return (Width::default(), RANGE);
    }
    let width = width_or_row(arguments, input, known);
    let document = name.starts_with("json") || name.starts_with("xml");
    let copies = if document { COPIES_OF_DOCUMENTS } else { COPIES };
    (width.times((known.made)(name) * copies), if document { copies * OVERHEAD } else { OVERHEAD })
}

/// What the columns in an expression over the rows of a node come to, or else whole rows.
fn width_or_row(expression: &str, input: &Value, known: &Known<'_>) -> Width {
    width_of(expression, input, known).unwrap_or_else(|| {
        let (row, whole) = (known.row.repeated(repeats(input, None, known)), number(input, "Plan Width"));
        if row.mean < whole { row.or(Width::of_each(whole)) } else { row }
    })
}

/// The same; `None` where nobody knows.
fn width_of(expression: &str, input: &Value, known: &Known<'_>) -> Option<Width> {
    let tokens = tokens(expression);
    let words = tokens.iter().filter_map(|token| match token {
        Token::Word(word) if !is_keyword(word) => Some(word.as_str()),
        _ => None,
    });
    let widths: Option<Vec<Width>> = words.map(|word| width_of_column(word, input, known)).collect();
    // A number that is counted, a constant.
    Some(widths?.into_iter().reduce(Width::and).unwrap_or(Width::of_each(OF_NO_COLUMN)))
}

fn width_of_column(column: &str, input: &Value, known: &Known<'_>) -> Option<Width> {
    // What a query in an expression gives, and what one around this one has: the same for every row, any of them.
    let is_query = column.starts_with('$') || column == "SubPlan" || column == "InitPlan";
    let alias = table_of(column);
    let name = last_part(column);
    let Some(alias) = alias.filter(|_| !is_query) else {
        return match is_query {
            true => Some(Width::of_each(known.row.longest)),
            false if !is_of_tables(input) => None,
            false => Some((known.width)(name)?.repeated(repeats(input, None, known))),
        };
    };
    let Some(read) = with_alias(input, alias) else {
        return Some(Width::of_each((known.width)(name)?.longest));
    };
    // A whole row is written `t.*`.
    let is_whole = name.is_empty();
    let width = match text(read, "Node Type") {
        _ if read.get("Relation Name").is_some() && is_whole => known.row,
        _ if read.get("Relation Name").is_some() => (known.width)(name)?,
        "Subquery Scan" if is_whole => {
            let below = inputs(read).next()?;
            outputs(below).map(|output| width_or_row(output, below, known)).reduce(Width::and)?
        }
        // A column of a query is what the query makes of its own.
        "Subquery Scan" => {
            let below = inputs(read).next()?;
            let outputs: Vec<&str> = outputs(below).collect();
            let same =
                |output: &&&str| matches!(tokens(output).as_slice(), [Token::Word(word)] if last_part(word) == name);
            match outputs.iter().find(same) {
                Some(plain) => width_of(plain, below, known)?,
                None => {
                    let made = outputs.iter().filter(|output| tokens(output).len() > 1);
                    made.filter_map(|output| width_of(output, below, known)).reduce(Width::or)?
                }
            }
        }
        // Parts of a text or a list: all of them together are as long as that.
        "Function Scan" | "Table Function Scan" => {
            return Some(Width { mean: number(read, "Plan Width").max(OF_NO_COLUMN), ..known.row });
        }
        _ => return None,
    };
    Some(width.repeated(repeats(input, Some(alias), known)))
}

fn outputs(node: &Value) -> impl Iterator<Item = &str> {
    node.get("Output").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The node below that has an alias.
fn with_alias<'v>(node: &'v Value, alias: &str) -> Option<&'v Value> {
    if text(node, "Alias") == alias { Some(node) } else { plans(node).find_map(|child| with_alias(child, alias)) }
}

/// Whether what is given is a column as it lies there.
fn is_stored(output: &str, node: &Value) -> bool {
    match tokens(output).as_slice() {
        [Token::Constant] => true,
        [Token::Word(word)] => match table_of(word) {
            Some(alias) => with_alias(node, alias).is_some_and(|read| read.get("Relation Name").is_some()),
            None => is_of_tables(node),
        },
        _ => false,
    }
}

/// Whether all that a node reads lies in tables.
fn is_of_tables(node: &Value) -> bool {
    let is_read = text(node, "Node Type").ends_with("Scan") && node.get("Alias").is_some();
    (!is_read || node.get("Relation Name").is_some()) && plans(node).all(is_of_tables)
}

/// How many times the joins below a node take a row of the table with this alias, at most.
fn repeats(node: &Value, alias: Option<&str>, known: &Known<'_>) -> f64 {
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
        ("Nested Loop", [(planned_outer, outer), (_, inner)]) if parts_beside(node, *outer, known) > outer * inner => {
            let kept = (planned
                / (planned_outer * self::inputs(node).nth(1).map_or(1.0, |it| number(it, "Plan Rows").max(1.0))))
            .min(1.0);
            parts_beside(node, *outer, known) * kept
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
            Token::Word(word) if !is_keyword(word) => (known.width)(last_part(word)),
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
