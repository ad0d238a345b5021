//! What PostgreSQL would hold in memory for a plan: aggregates that keep every value they are given, tables that rows are looked up
//! in, the longest values of groups, the first rows of a sort.
//!
//! The engine bounds each sort and hash by `work_mem` and puts the rest on the disk, but nothing bounds how many there are, nor the
//! states of `array_agg` and its kin, nor what long values come to where it expected short ones. So they are reckoned: rows that
//! reach the aggregate, times bytes kept for each. The planner's rows are believed only behind conditions that it has figures for;
//! who writes `a || '' = a` for "all" would otherwise be taken for asking for two hundredths of a table.

mod expression;
mod rows;
mod tables;

use serde_json::Value;

use self::expression::{Call, MOST_DIGITS, Token, calls, digits, is_keyword, last_part, table_of, tokens};
use self::rows::{groups, groups_at_once, joins_sets, most_rows, of_largest_group, repeats, sets};
use self::tables::{bounded, first_rows, hashed_bytes, in_an_array};

/// Sizes of columns, by their name, and of tables in rows, by theirs; `None` where nobody knows.
pub(crate) struct Known<'a> {
    pub(crate) width: &'a dyn Fn(&str) -> Option<Width>,
    pub(crate) rows: &'a dyn Fn(&str) -> Option<f64>,
    /// Rows of the largest table that is read: a partition, which nobody has counted, has no more.
    pub(crate) largest: f64,
    /// The size of the largest row of the tables that are read, as text: what the planner says of a long value is its pointer.
    pub(crate) row: Width,
    /// How many rows of a table have the most frequent value of its column, by their names.
    pub(crate) repeated: &'a dyn Fn(&str, &str) -> f64,
    /// How many of its rows have that very value, as far as anybody has looked, by the same names and the value.
    pub(crate) of_value: &'a dyn Fn(&str, &str, &str) -> f64,
    /// How many different values a column of a table has, by their names; any number where nobody knows.
    pub(crate) different: &'a dyn Fn(&str, &str) -> f64,
    /// Whether the engine keeps figures of a column of that name.
    pub(crate) has_figures: &'a dyn Fn(&str) -> bool,
    /// How many of its rows have no value there, by the same names.
    pub(crate) without: &'a dyn Fn(&str, &str) -> f64,
    /// Whether columns of that name hold texts.
    pub(crate) is_text: &'a dyn Fn(&str) -> bool,
    /// The plan as a whole.
    pub(crate) plan: &'a Value,
    /// Times the stored data in it that the statement makes of a value before this function keeps it.
    pub(crate) made: &'a dyn Fn(&str) -> f64,
    /// The most rows that a limit in the statement lets through; any number where that isn't written out.
    pub(crate) limit: f64,
    /// Whether a recursion of the statement looks whether it has had a row.
    pub(crate) remembers: bool,
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
    pub(crate) fn of_rows(self, rows: f64) -> f64 {
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
/// Bytes that PostgreSQL 15 takes for each range that it makes a multirange of, as it was measured over a million.
const RANGE: f64 = 3_500.0;

/// Bytes that a plan holds of all that.
pub(crate) fn bytes(plan: &Value, known: &Known<'_>) -> f64 {
    /// What any statement may take of that which the engine bounds one by one.
    const ALLOWED: f64 = 64e6;
    unbounded(plan, known) + (all_bounded(plan, known) - ALLOWED).max(0.0)
}

fn unbounded(node: &Value, known: &Known<'_>) -> f64 {
    let below: f64 = plans(node).map(|child| unbounded(child, known) + in_an_array(child, known)).sum();
    let own = own_bytes(node, known) + hashed_bytes(node, known) + first_rows(node, known);
    below + own + copied(node, known)
}

fn all_bounded(node: &Value, known: &Known<'_>) -> f64 {
    bounded(node, known) + plans(node).map(|child| all_bounded(child, known)).sum::<f64>()
}

/// What sorts and the like copy of what aggregates below have collected: once to keep it, and once to hand it on.
fn copied(node: &Value, known: &Known<'_>) -> f64 {
    const COPYING: [&str; 5] = ["Hash", "Incremental Sort", "Materialize", "Sort", "WindowAgg"];
    const COPIED: f64 = 2.0;
    fn collected(node: &Value, known: &Known<'_>) -> f64 {
        match text(node, "Node Type") {
            "Aggregate" => own_bytes(node, known) / COPIES,
            _ => inputs(node).map(|child| collected(child, known)).sum(),
        }
    }
    match COPYING.contains(&text(node, "Node Type")) {
        true => inputs(node).map(|child| collected(child, known)).sum::<f64>() * COPIED,
        false => 0.0,
    }
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
    let rows = (all / groups(node)).max(of_largest_group(node, input, known).min(all));
    let each = of(sql::keeps_values).into_iter().map(|call| kept(&call, input, known));
    let kept: f64 = each.map(|(width, own)| width.of_rows(rows) + rows * own).sum();
    // Of each group in a table in memory one value is held, which may have been short when the group was new.
    let is_hashed = ["Hashed", "Mixed"].contains(&text(node, "Strategy"));
    let held =
        |call: Call<'_>| width_or_row(call.arguments, input, known).of_rows(groups_at_once(node, input).min(all));
    let held: f64 = of(is_of_ends).into_iter().filter(|_| is_hashed).map(held).sum();
    // So is a sum, which has as many digits as the longest number added to it.
    let sums = if is_hashed { of(is_of_numbers).len() as f64 } else { 0.0 };
    let sums = sums * most_digits(node) * COPIES * groups_at_once(node, input).min(all);
    (kept + held + sums) * sets(node)
}

/// Whether an aggregate's state is a number, or two that it lies between.
fn is_of_numbers(name: &str) -> bool {
    let names = ["sum", "avg", "range_merge", "range_intersect_agg"];
    names.contains(&name) || is_of_ends(name) || name.starts_with("stddev") || name.starts_with("var")
}

/// The digits of the longest number that a node and those below it make, where they are many: see [`digits`].
fn most_digits(node: &Value) -> f64 {
    // What VALUES lists, a plan doesn't say.
    if text(node, "Node Type") == "Values Scan" {
        return MOST_DIGITS;
    }
    let own = outputs(node).chain(std::iter::once(text(node, "Filter"))).map(digits).fold(0.0, f64::max);
    plans(node).map(most_digits).fold(own, f64::max)
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
    if joins_sets(input) {
        return of_branches(expression, input, known).unwrap_or(known.row.repeated(repeats(input, None, known)));
    }
    width_of(expression, input, known).unwrap_or_else(|| {
        let (row, whole) = (known.row.repeated(repeats(input, None, known)), number(input, "Plan Width"));
        if row.mean < whole { row.or(Width::of_each(whole)) } else { row }
    })
}

/// The most of what the queries below give whose rows are put together, of which a plan names the first one's alone.
fn of_branches(expression: &str, input: &Value, known: &Known<'_>) -> Option<Width> {
    let mut node = input;
    while !text(node, "Node Type").ends_with("Append") {
        let mut sides = inputs(node);
        node = sides.next().filter(|_| sides.next().is_none())?;
    }
    let bare = |text: &str| text.trim_matches(['(', ')']).to_owned();
    let first = inputs(node).next()?;
    let place = outputs(first).position(|output| bare(output) == bare(expression))?;
    let each = inputs(node).map(|branch| Some(width_or_row(outputs(branch).nth(place)?, branch, known)));
    each.collect::<Option<Vec<Width>>>()?.into_iter().reduce(Width::or)
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
    let of_columns = widths?.into_iter().reduce(Width::and).unwrap_or(Width::of_each(OF_NO_COLUMN));
    let digits = digits(expression);
    Some(if digits > 0.0 { of_columns.and(Width::of_each(digits)) } else { of_columns })
}

fn width_of_column(column: &str, input: &Value, known: &Known<'_>) -> Option<Width> {
    // What a query in an expression gives, and what one around this one has: the same for every row, any of them. What one of them
    // collects is as much as it has rows.
    let is_query = column.starts_with('$') || column == "SubPlan" || column == "InitPlan";
    let alias = table_of(column);
    let name = last_part(column);
    let Some(alias) = alias.filter(|_| !is_query) else {
        return match is_query {
            true => Some(Width::of_each(known.row.longest.max(largest_of_queries(known.plan, known)))),
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

/// The most that a query in an expression collects at once.
fn largest_of_queries(node: &Value, known: &Known<'_>) -> f64 {
    let own = plans(node).filter(|child| ["SubPlan", "InitPlan"].contains(&text(child, "Parent Relationship")));
    let own = own.filter(|child| text(child, "Node Type") == "Aggregate").map(|child| own_bytes(child, known) / COPIES);
    plans(node).map(|child| largest_of_queries(child, known)).chain(own).fold(0.0, f64::max)
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
