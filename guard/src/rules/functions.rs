//! Functions by a list of those known to be pure.
//!
//! A query can do harm by a function alone: read a file, sleep, take a lock, call another server.

use sql::{FunctionPlace, FunctionUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::functions::{is_pure, pure};
use crate::nearest::nearest_names;

pub(super) const RULE: Rule =
    Rule { name: "functions", severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let config = context.policy.config();
    for function in &context.reading.functions {
        let name = function.path.join(".");
        let denied = matches_any(&config.deny_functions, function);
        let allowed =
            !denied && (is_pure(context.dialect, &function.path) || matches_any(&config.allow_functions, function));
        if allowed {
            continue;
        }
        let known = pure(context.dialect);
        findings.add("function_not_allowed", function.span, |finding| {
            finding.message = match function.place {
                FunctionPlace::Table => format!("the table function `{name}` is not on the list of allowed functions"),
                _ => format!("the function `{name}` is not on the list of allowed functions"),
            };
            finding.why = if denied {
                "The policy forbids it.".to_owned()
            } else {
                "Functions that are not known to be pure may read files, wait, or write.".to_owned()
            };
            finding.suggestions = replacement(context.dialect, function.name())
                .map(str::to_owned)
                .into_iter()
                .chain(nearest_names(function.name(), known.iter().copied(), 3))
                .take(3)
                .collect();
            finding.help = match finding.suggestions.as_slice() {
                [] => "Do without it, or have the operator allow it.".to_owned(),
                names => format!("Closest allowed functions: {}.", names.join(", ")),
            };
        });
    }
}

fn matches_any(patterns: &[String], function: &FunctionUse) -> bool {
    let path = function.path.join(".");
    patterns.iter().any(|pattern| {
        let pattern = pattern.to_lowercase();
        match pattern.strip_suffix('*') {
            Some(prefix) => path.starts_with(prefix) || function.path.len() == 1 && function.name().starts_with(prefix),
            None => path == pattern,
        }
    })
}

/// What functions of other dialects are called in SQLite: agents mix dialects up.
fn replacement(dialect: &catalog::Dialect, name: &str) -> Option<&'static str> {
    if *dialect != catalog::Dialect::Sqlite {
        return None;
    }
    Some(match name {
        "date_trunc" | "date_format" | "to_char" | "year" | "month" | "day" | "hour" | "datepart" | "date_part"
        | "extract" => "strftime",
        "datediff" | "date_diff" | "timestampdiff" | "age" => "julianday",
        "getdate" | "sysdate" | "now" | "curdate" => "datetime",
        "date_add" | "date_sub" | "dateadd" | "adddate" => "date",
        "to_date" | "to_timestamp" => "date",
        "unix_timestamp" => "unixepoch",
        "string_agg" | "listagg" | "array_agg" => "group_concat",
        "strpos" | "charindex" | "locate" | "position" => "instr",
        "len" | "char_length" => "length",
        "nvl" | "isnull" => "ifnull",
        "json_value" | "get_json_object" => "json_extract",
        _ => return None,
    })
}
