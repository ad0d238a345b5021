//! Small statements that ask for enormous work or enormous values.
//!
//! What a statement can make is computed before it runs ([`sql::Growth`]); what is too much is decided here. Limits and
//! timeouts of the run are the second line.

use sql::{Growth, GrowthKind, RecursionBound};

use super::{Findings, Rule, RuleContext, Severities};
use crate::cost::unmeasured;
use crate::finding::Severity;
use crate::functions::may_be_called;
use crate::policy::{PolicyConfig, Profile};
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::ResourceBomb, severity: Severities::always(Severity::Error), fixed: true, run };

/// The largest number of rows a recursion or a series may be asked for.
const MOST_ROWS: f64 = 1_000_000.0;
/// The largest value, in bytes, that a statement may make of constants alone, and of stored data with others: nobody who asks a
/// question needs larger ones, and what a function makes more of them than is known here stays small with them.
const MOST_OF_NOTHING: f64 = 250_000.0;
const MOST_BYTES: f64 = 1_000_000.0;
/// The largest text that may be read as something else: PostgreSQL quotes it whole where it can't be, and each who passes the
/// error on holds it as well.
const MOST_QUOTED: f64 = 2_000_000.0;
/// So many times as large as the stored data in it a value may become, whatever its size.
const MOST_TIMES_DATA: f64 = 16.0;
/// The largest number of times a text may be repeated, the largest length to fill up to, the largest width in a format:
/// functions that compare one text with another take time that grows with the product of their lengths, and PostgreSQL
/// and MariaDB can't be interrupted in them.
const MOST_REPEATED: f64 = 10_000.0;
/// The largest product of two lengths that a function compares, over all rows that are made up.
const MOST_WORK: f64 = 1e8;
/// The same over the rows that an engine works on at once, without looking whether it was told to stop: some ten seconds.
const MOST_WORK_AT_ONCE: f64 = 3e9;
/// The most bytes of made-up values over all rows, if no key joins them: MariaDB doesn't look whether it was told to stop
/// while it goes through what its join buffer holds.
const MOST_OVER_ALL_ROWS: f64 = 1e10;
/// The most bytes of large stored values that are made and given for one row, which engines keep all at once; what is given
/// counts as it is read, too.
const MOST_IN_A_ROW: f64 = 5e8;
/// The most relations that a statement may read once common table expressions stand wherever they are read: PostgreSQL took
/// 702 MB to plan joins of 8,000.
const MOST_INLINED: f64 = 1_500.0;
/// The most sets of relations to be joined: PostgreSQL took 759 MB to plan twenty joins of eleven relations each, 2,048 sets.
const MOST_ORDERS: f64 = 30_000.0;
/// The most parts of expressions that are written into each other: PostgreSQL took 2.5 kB for each.
const MOST_SUBSTITUTED: f64 = 50_000.0;
/// The most rows that are made up in all, and the most bytes in them.
const MOST_TOGETHER: f64 = 1e8;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for recursion in &context.reading.recursions {
        let endless = match &recursion.bound {
            RecursionBound::None => true,
            RecursionBound::Condition(most) | RecursionBound::Limit(most) => {
                most.is_some_and(|most| most as f64 > MOST_ROWS)
            }
            RecursionBound::Walk => false,
        };
        if endless {
            findings.add("unbounded_recursion", recursion.span, |finding| {
                finding.message = format!("nothing keeps the recursion of `{}` small", recursion.name);
                finding.why = "It would run until the time limit.".to_owned();
                finding.help =
                    "Stop it in the recursive part, as in `WHERE n < 100`; a LIMIT outside doesn't count.".to_owned();
            });
        }
    }
    let mut said: Vec<Option<sql::Span>> = Vec::new();
    for growth in &context.reading.growth {
        let Some(what) = too_much(growth, context.policy) else { continue };
        // A function that may not be called at all is said to be that.
        let path = [growth.what.clone()];
        let added = context.catalog.source(context.source).map(|source| &source.functions);
        if growth.kind == GrowthKind::Unknown && !may_be_called(context.dialect, &path, added) {
            continue;
        }
        // One word for each place: what is too large there mostly is so in several ways.
        if said.contains(&growth.span) {
            continue;
        }
        said.push(growth.span);
        let code = if growth.kind == GrowthKind::Unknown { "unknown_growth" } else { "resource_bomb" };
        findings.add(code, growth.span, |finding| {
            finding.message = what;
            (finding.why, finding.help) = reasons(growth.kind);
            finding.help += &unmeasured(context.reading, context.catalog);
        });
    }
}

/// What is too much about it, in words.
fn too_much(growth: &Growth, policy: &PolicyConfig) -> Option<String> {
    let Growth { what, amount, of_data, .. } = growth;
    let over = |most: f64| amount.is_nan() || *amount > most;
    let number = figure(*amount);
    match growth.kind {
        GrowthKind::Value
            if over(if *of_data > 0.0 { MOST_BYTES } else { MOST_OF_NOTHING }) && over(MOST_TIMES_DATA * of_data) =>
        {
            Some(format!("`{what}` can make a value of {number} bytes"))
        }
        GrowthKind::Quoted if over(MOST_QUOTED) => {
            Some(format!("`{what}` can be given a text of {number} bytes, which its error would quote"))
        }
        GrowthKind::Size if over(MOST_REPEATED) => Some(format!("`{what}` can be asked for {number} characters")),
        GrowthKind::Work if over(MOST_WORK) => Some(format!("`{what}` can take {number} steps")),
        GrowthKind::WorkAtOnce if over(MOST_WORK_AT_ONCE) => {
            Some(format!("`{what}` can take {number} steps in which nothing stops it"))
        }
        GrowthKind::OverAllRows if over(MOST_OVER_ALL_ROWS) => {
            Some(format!("`{what}` can make {number} bytes over all rows"))
        }
        GrowthKind::Row if over(MOST_IN_A_ROW) => {
            Some(format!("what is made for one row can come to {number} bytes of large stored values"))
        }
        GrowthKind::Inlined if over(MOST_INLINED) => Some(format!(
            "the statement reads {number} tables, once what stands behind WITH stands wherever it is read"
        )),
        GrowthKind::Orders if over(MOST_ORDERS) => {
            Some(format!("there are {number} sets of tables to weigh, of all that are joined"))
        }
        GrowthKind::Substituted if over(MOST_SUBSTITUTED) => {
            Some(format!("its expressions have {number} parts, once those behind the names in them are written out"))
        }
        GrowthKind::Rows if over(MOST_ROWS) => Some(format!("`{what}` can make {number} rows")),
        GrowthKind::Together if over(MOST_TOGETHER) => {
            Some(format!("the rows that are made up can come to {number}, counted with the bytes in them"))
        }
        GrowthKind::Unknown if policy.profile == Profile::Strict && !policy.names_function(what) => {
            Some(format!("nobody knows how large what `{what}` makes can be"))
        }
        _ => None,
    }
}

/// Why it is refused and what to do.
fn reasons(kind: GrowthKind) -> (String, String) {
    let why = "Making that takes the memory and the time of everyone else.";
    let help = match kind {
        GrowthKind::Size => "Ask for less; where the number comes from the data, write `least(…, 100)`.",
        GrowthKind::Row => "Take fewer of them at once, or a part of each.",
        GrowthKind::Orders => "Join fewer tables at once, or in fewer queries of the statement.",
        GrowthKind::Substituted => "Name each column of an inner query fewer times, or take a step out between them.",
        GrowthKind::Inlined => "Read each of them once, or let the engine keep what it has read (MATERIALIZED).",
        GrowthKind::Rows | GrowthKind::Together => "Ask for fewer rows, or make them in fewer steps.",
        GrowthKind::Unknown => "Leave it out, or have the operator name it in `allow_functions`.",
        GrowthKind::OverAllRows => "Make smaller values, or join the tables by their keys and filter them first.",
        GrowthKind::Quoted => "Convert the values before they are put together.",
        GrowthKind::Value | GrowthKind::Work | GrowthKind::WorkAtOnce => {
            "Make less of it: nested functions multiply what they are given."
        }
    };
    (why.to_owned(), help.to_owned())
}

/// A number that people can read.
fn figure(amount: f64) -> String {
    if amount.is_finite() && amount < 1e15 { format!("{amount:.0}") } else { "endlessly many".to_owned() }
}
