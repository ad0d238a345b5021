//! Functions by a list of those known to be pure.
//!
//! A query can do harm by a function alone: read a file, sleep, take a lock, call another server.

use catalog::Dialect;
use sql::{FunctionPlace, FunctionUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::functions::{ACTING, has_word, may_be_called, unseen_call};
use crate::rule_name::RuleName;
use catalog::nearest::{likeness, nearest_names};

pub(super) const RULE: Rule =
    Rule { name: RuleName::Functions, severity: Severities::always(Severity::Error), fixed: true, run };

/// Functions that no engine takes without an argument.
const TAKES_ARGUMENTS: [&str; 28] = [
    "abs",
    "avg",
    "coalesce",
    "concat",
    "date_format",
    "date_part",
    "date_trunc",
    "group_concat",
    "ifnull",
    "lcase",
    "length",
    "lower",
    "max",
    "min",
    "nullif",
    "replace",
    "round",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "to_char",
    "to_timestamp",
    "total",
    "trim",
    "ucase",
    "upper",
    "year",
];

/// Whether a function is called without the argument that it needs in this dialect.
fn lacks_argument(dialect: &Dialect, function: &FunctionUse) -> bool {
    let counts = dialect.functions().count_wants_argument && function.name() == "count";
    function.path.len() == 1 && function.arguments.is_empty() && (counts || TAKES_ARGUMENTS.contains(&function.name()))
}

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let config = context.policy;
    let added = context.catalog.source(context.source).map(|source| &source.functions);
    if let Some(unseen) = added.and_then(|added| unseen_call(context.sql, added)) {
        findings.add("function_not_allowed", None, |finding| {
            finding.message = format!("`{unseen}` may call a function that somebody made in the database");
            finding.why = "Such a function may read any table, and what it does isn't known.".to_owned();
            finding.help = "Do without it.".to_owned();
        });
    }
    // A value of such a type is turned into another wherever one is wanted.
    let typed = context.reading.columns.iter().find_map(|used| {
        let column = context.catalog.entry(&used.column.table)?.table.column(&used.column.column)?;
        let words = column.data_type.to_lowercase();
        added?.types.iter().find(|name| has_word(&words, name)).map(|name| (used.span, name))
    });
    if let Some((span, name)) = typed {
        findings.add("function_not_allowed", span, |finding| {
            finding.message =
                format!("a value of the type `{name}` may call a function that somebody made in the database");
            finding.why = "The engine casts it by itself where another type is wanted.".to_owned();
            finding.help = "Do without the column.".to_owned();
        });
    }
    let is_made = |function: &FunctionUse| {
        let mut made = added.into_iter().flat_map(|added| &added.unsure);
        function.path.len() == 1 && made.any(|it| it.rsplit('.').next() == Some(function.name()))
    };
    for function in &context.reading.functions {
        let name = function.path.join(".");
        if lacks_argument(context.dialect, function) {
            findings.add("missing_argument", function.span, |finding| {
                finding.message = format!("`{name}` is called without an argument");
                finding.why = "It is of something, and no engine knows of what.".to_owned();
                finding.help = "Name the column.".to_owned();
            });
        }
        let denied = matches_any(&config.deny_functions, function);
        let allowed = !denied
            && (may_be_called(context.dialect, &function.path, added) || allowed_by(&config.allow_functions, function));
        if allowed {
            continue;
        }
        let functions = context.dialect.functions();
        let known = functions.pure();
        findings.add("function_not_allowed", function.span, |finding| {
            finding.message = match function.place {
                _ if is_made(function) => format!("`{name}` may be a function that somebody made in the database"),
                FunctionPlace::Table => format!("the table function `{name}` is not on the list of allowed functions"),
                _ => format!("the function `{name}` is not on the list of allowed functions"),
            };
            finding.why = if denied {
                "The policy forbids it.".to_owned()
            } else {
                "Functions that are not known to be pure may read files, wait, or write.".to_owned()
            };
            /// What the parser doesn't take behind a schema's name.
            const FORMS: [&str; 8] = ["ceil", "extract", "floor", "overlay", "position", "substr", "substring", "trim"];
            let own_schema = functions.own_schema.filter(|_| !FORMS.contains(&function.name()));
            if let Some(schema) = own_schema.filter(|_| is_made(function) && known.contains(function.name())) {
                finding.help = format!("Write `{schema}.{name}` for the engine's own.");
                return;
            }
            finding.suggestions = functions
                .replacement(function.name())
                .map(str::to_owned)
                .into_iter()
                .chain(alike(function.name(), known.iter().copied()))
                .filter(|name| {
                    name != function.name()
                        && !config.deny_functions.iter().any(|pattern| words::matches_glob(pattern, name))
                })
                .take(3)
                .collect();
            finding.help = match finding.suggestions.as_slice() {
                [] => "Do without it, or have the operator allow it.".to_owned(),
                names => format!("Closest allowed functions: {}.", names.join(", ")),
            };
        });
    }
}

/// Known functions that a name is close to. Names of functions are short: what is only a little alike has nothing to do
/// with it.
fn alike<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<String> {
    const ALIKE: f64 = 0.65;
    nearest_names(name, known, 3).into_iter().filter(|other| likeness(name, other) >= ALIKE).collect()
}

/// Whether the operator allows a function: those known to act only by their whole name.
fn allowed_by(patterns: &[String], function: &FunctionUse) -> bool {
    let acts = ACTING.contains(&function.name());
    let patterns: Vec<String> = patterns.iter().filter(|pattern| !acts || !pattern.ends_with('*')).cloned().collect();
    matches_any(&patterns, function)
}

fn matches_any(patterns: &[String], function: &FunctionUse) -> bool {
    let path = function.path.join(".");
    patterns.iter().any(|pattern| words::matches_glob(pattern, &path))
}
