//! The statement must be one that can be read: it parses, and is neither too long nor too deep.
//!
//! What can't be read can't be judged, and what can't be judged is refused.

use sql::{EffectKind, ProblemKind};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::Readable, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for problem in &context.reading.problems {
        match &problem.kind {
            ProblemKind::Empty => findings.add("empty_statement", problem.span, |finding| {
                finding.message = "there is no statement".to_owned();
                finding.why = "The text holds nothing but blanks, comments and semicolons.".to_owned();
                finding.help = "Write one SELECT statement.".to_owned();
            }),
            ProblemKind::TooLong { bytes, limit } => findings.add("too_long", problem.span, |finding| {
                finding.message = format!("the statement has {bytes} bytes, and {limit} are read");
                finding.why = "Longer texts are not checked, so they are not run.".to_owned();
                finding.help = "Put long lists of values into a join or a range.".to_owned();
            }),
            ProblemKind::TooDeep => findings.add("too_deep", problem.span, |finding| {
                finding.message = "the statement is nested, or chained, too deeply".to_owned();
                finding.why = "Engines refuse such statements too, or crash on them.".to_owned();
                finding.help = "Use IN lists and WITH in place of long chains and deep nesting.".to_owned();
            }),
            ProblemKind::TooComplex => findings.add("too_complex", problem.span, |finding| {
                finding.message = "the statement has more words, relations or columns than can be followed".to_owned();
                finding.why = "What can't be followed can't be checked.".to_owned();
                finding.help =
                    "Name the columns that are needed instead of `*`, and put long lists of values into ranges."
                        .to_owned();
            }),
            ProblemKind::ParseError { message } => findings.add("parse_error", problem.span, |finding| {
                finding.message = format!("the statement is not valid {}: {message}", context.dialect);
                finding.why = "A statement that doesn't parse can't be checked, so it is not run.".to_owned();
                let lacks = context.dialect.syntax().lacks.map_or_else(String::new, |lacks| format!(": {lacks}"));
                finding.help = match in_other_words(context.sql) {
                    Some(help) => help.to_owned(),
                    None => format!("Correct the syntax; the dialect is {}{lacks}.", context.dialect.title()),
                };
            }),
            _ => {}
        }
    }
    for effect in context.reading.effects.iter().filter(|effect| effect.kind == EffectKind::NotUnderstood) {
        findings.add("not_understood", effect.span, |finding| {
            finding.message = effect.what.clone();
            finding.why = "Syntax that isn't known may do anything, so it is refused.".to_owned();
            finding.help = "Say the same with a plain SELECT.".to_owned();
        });
    }
}

/// How to say what some engines have a short word for, which isn't read here.
fn in_other_words(sql: &str) -> Option<&'static str> {
    let first = sql.trim_start().split(|sign: char| !sign.is_alphabetic()).next()?;
    match first.to_lowercase().as_str() {
        "table" => Some("Write `SELECT * FROM` and the table."),
        "pivot" | "unpivot" => {
            Some("Write an aggregate for each column of the result, as `sum(CASE WHEN … THEN … END)`.")
        }
        "summarize" => Some("Ask for the description of the table, which tells of its values."),
        _ => None,
    }
}
