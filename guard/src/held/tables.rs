//! What a plan keeps in memory besides aggregates: tables that rows are looked up in, the first rows of a sort, arrays of queries.

use serde_json::Value;

use super::expression::{Token, is_keyword, keeps_apart, table_of, tokens};
use super::rows::{most_rows, sets, times, without};
use super::{Known, OVERHEAD, inputs, is_stored, number, outputs, plans, text, width_or_row, with_alias};

/// What PostgreSQL keeps of each row in a table that it can't put on the disk, besides the row.
const HASHED: f64 = 80.0;
/// The result of a query in an expression is copied once more.
const COPIES_OF_QUERIES: f64 = 3.0;

/// Bytes of the tables in memory that EXCEPT, INTERSECT and `NOT IN (SELECT …)` look rows up in. The engine takes them where
/// it expects few rows, and puts none of them on the disk if there are more.
pub(super) fn hashed_bytes(node: &Value, known: &Known<'_>) -> f64 {
    let kept = |child: &Value| {
        let rows = most_rows(child, known);
        rows * (plan_width(child) + HASHED) + made_of(child, rows, known)
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

/// What a session of ours lets each sort take, and each table of hashes: twice that by default.
const WORK_MEM: f64 = 16e6;
const TIMES_OF_HASHES: f64 = 2.0;
/// What a recursion with UNION keeps of its rows until the time limit ends it.
const REMEMBERED: f64 = 8e8;

/// Bytes of what the engine bounds by itself, each of them: sorts, tables of hashes, rows that are kept to be read again. One by one
/// they are small, but a statement may have hundreds.
pub(super) fn bounded(node: &Value, known: &Known<'_>) -> f64 {
    let kind = text(node, "Node Type");
    let is_hashed = ["Hashed", "Mixed"].contains(&text(node, "Strategy"));
    let times = match kind {
        "Sort" | "Incremental Sort" | "Materialize" | "CTE Scan" | "WindowAgg" => 1.0,
        "Hash" | "Memoize" => TIMES_OF_HASHES,
        "Aggregate" if is_hashed => TIMES_OF_HASHES,
        _ => 0.0,
    };
    // An aggregate of different values, or of values in an order, sorts them by itself.
    let sorts =
        |output: &str| ["DISTINCT ", "ORDER BY "].map(|word| output.matches(word).count()).iter().sum::<usize>();
    let expressions = outputs(node).chain(std::iter::once(text(node, "Filter")));
    let own = if kind == "Aggregate" { expressions.map(sorts).sum::<usize>() as f64 * sets(node) } else { 0.0 };
    // Nothing bounds what a recursion remembers but the time limit: that much, as it was measured in ten seconds.
    if kind == "Recursive Union" {
        return if known.remembers { REMEMBERED } else { WORK_MEM };
    }
    if times + own == 0.0 {
        return 0.0;
    }
    let input = inputs(node).next().unwrap_or(node);
    let width = plan_width(input).max(known.row.mean) + HASHED;
    let all = most_rows(input, known) * width;
    all.min(times * WORK_MEM) + own * all.min(WORK_MEM)
}

/// The bytes that the planner gives a row. Of rows of several queries it gives the mean, by how many it expects of each.
fn plan_width(node: &Value) -> f64 {
    let own = number(node, "Plan Width");
    let kind = text(node, "Node Type");
    match kind.ends_with("Append") || kind == "Subquery Scan" {
        true => inputs(node).map(plan_width).fold(own, f64::max),
        false => own,
    }
}

/// Bytes of the rows in a join's table that have the same key, which stay together in memory. What a key becomes that isn't a
/// column as it lies there, or in other letters, may be one thing for all rows.
fn of_one_key(node: &Value, side: &Value, known: &Known<'_>) -> f64 {
    const KEEPING: [&str; 2] = ["lower", "upper"];
    /// Parallel plans say the rows of one process.
    const PROCESSES: f64 = 3.0;
    let rows = most_rows(side, known) * if side["Parallel Aware"] == Value::Bool(true) { PROCESSES } else { 1.0 };
    // Rows that fit none are given as well, and those without a key lie together.
    let keeps_empty = ["Full", "Right", "Right Anti"].contains(&text(node, "Join Type"));
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
            let again = match is_stored(column, side) {
                true if keeps_empty => times(column, side, known).max(without(column, side, known)),
                true => times(column, side, known),
                false => rows,
            };
            same = same.min(again);
        }
        if inner.is_some_and(|tokens| tokens.iter().all(keeps)) && keeps_apart(equality) && same.is_finite() {
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
    // `repeat` makes as many times the data as the statement says.
    let longer = |output: &str| {
        let calls = tokens(output).into_iter().filter_map(|token| match token {
            Token::Call(name) => Some((known.made)(&name)),
            _ => None,
        });
        calls.fold(1.0, f64::max)
    };
    made.map(|output| width_or_row(output, node, known).of_rows(rows) * longer(output)).sum()
}

/// What sorting for a few rows alone keeps in memory: those, as far as no table holds them.
pub(super) fn first_rows(node: &Value, known: &Known<'_>) -> f64 {
    let sorted = inputs(node).find(|child| text(child, "Node Type").ends_with("Sort"));
    let sorted = sorted.filter(|_| text(node, "Node Type") == "Limit");
    let rows = most_rows(node, known);
    sorted.and_then(|sort| inputs(sort).next()).map_or(0.0, |child| made_of(child, rows, known))
}

/// What `ARRAY(SELECT …)` keeps, where the node is such a query.
pub(super) fn in_an_array(node: &Value, known: &Known<'_>) -> f64 {
    let stands_in_an_expression = ["SubPlan", "InitPlan"].contains(&text(node, "Parent Relationship"));
    if !known.arrays || !stands_in_an_expression || text(node, "Subplan Name").starts_with("CTE ") {
        return 0.0;
    }
    let rows = most_rows(node, known);
    let widths = outputs(node).map(|output| width_or_row(output, node, known).of_rows(rows));
    let values = widths.sum::<f64>().max(rows * number(node, "Plan Width"));
    values * COPIES_OF_QUERIES * (known.made)("array") + rows * OVERHEAD
}
