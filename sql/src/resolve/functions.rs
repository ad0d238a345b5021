//! What is told of a call by the function's name: whether it makes one value of many rows, or rows of a value, and whether
//! it tells in which order rows came.
//!
//! Long lists are text, one name after the other; the lists of all that an engine's functions are stand in the room `dialect`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    ObjectNamePart,
};

static AGGREGATES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(include_str!("aggregates.txt")));
static UNFOLDING: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(include_str!("unfolding.txt")));

/// Aggregates that tell how many, and nothing of what.
const COUNTS: [&str; 7] =
    ["approx_count_distinct", "approx_distinct", "count", "count_if", "countif", "uniq", "uniqexact"];

/// Those of these whose argument says which rows count.
const COUNTS_OF_A_CONDITION: [&str; 2] = ["count_if", "countif"];

/// The names in a list.
fn names_of(list: &'static str) -> BTreeSet<&'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

/// Whether a function, by its name in lower case, makes one value of many rows.
pub(super) fn is_aggregate(name: &str) -> bool {
    AGGREGATES.contains(name)
}

/// Whether an aggregate, by its name in lower case, tells how many there are and nothing of what.
pub(super) fn counts(name: &str) -> bool {
    COUNTS.contains(&name)
}

/// What a call counts, where it counts nothing but how many values there are of it: no condition decides over them.
pub(super) fn plainly_counted(function: &Function) -> Option<&Expr> {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
    let name = name.value.to_lowercase();
    let counts = counts(&name) && !COUNTS_OF_A_CONDITION.contains(&name.as_str());
    let is_plain = function.filter.is_none()
        && function.over.is_none()
        && function.within_group.is_empty()
        && matches!(function.parameters, FunctionArguments::None);
    only_argument(&function.args).filter(|_| counts && is_plain)
}

/// Whether a count is of different values.
pub(super) fn counts_different(function: &Function) -> bool {
    let is_distinct = match &function.args {
        FunctionArguments::List(list) => list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
        _ => false,
    };
    is_distinct || !function.name.to_string().eq_ignore_ascii_case("count")
}

fn is_one_of(function: &Function, is_listed: impl Fn(&str) -> bool) -> bool {
    let name = function.name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase());
    name.is_some_and(|name| is_listed(&name))
}

/// Whether a function makes rows of a value.
pub(super) fn unfolds(function: &Function) -> bool {
    is_one_of(function, |name| UNFOLDING.contains(name))
}

/// Whether an aggregate has its rows sorted: other ones of the same query get them in that order, too.
pub(super) fn sorts(function: &Function) -> bool {
    let clauses = match &function.args {
        FunctionArguments::List(list) => {
            list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
                || list.clauses.iter().any(|clause| matches!(clause, FunctionArgumentClause::OrderBy(_)))
        }
        _ => false,
    };
    clauses || !function.within_group.is_empty()
}

/// Functions that say nothing of the order in which rows came, whatever they are of: counts, and what is reckoned with them. Of equal
/// values the greatest is one of them, `1.0` or `1.00`, a sum of floating point numbers has the order in its last digits, and a clock
/// goes on from row to row.
const WITHOUT_ORDER: [&str; 11] =
    ["abs", "ceil", "coalesce", "count", "countif", "floor", "ifnull", "nullif", "round", "uniq", "uniqexact"];

/// Whether a function may tell in which order rows came.
pub(super) fn may_tell_an_order(function: &Function) -> bool {
    !is_one_of(function, |name| WITHOUT_ORDER.contains(&name))
}

/// The argument of a function that has one, without further clauses.
fn only_argument(arguments: &FunctionArguments) -> Option<&Expr> {
    match arguments {
        FunctionArguments::List(list) if list.clauses.is_empty() => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(only))] => Some(only),
            _ => None,
        },
        _ => None,
    }
}
