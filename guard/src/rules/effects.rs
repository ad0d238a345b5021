//! Nothing but reading: every effect that the reader has found refuses.

use sql::{Effect, EffectKind, StatementKind};

use super::statement_kind::is_reading_pragma;
use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::Effects, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for effect in &context.reading.effects {
        if effect.kind == EffectKind::Pragma
            && let StatementKind::Pragma { name, argument, assigned } = &context.reading.kind
            && is_reading_pragma(context.dialect, name, argument.as_deref(), *assigned)
        {
            continue;
        }
        if let Some((code, why, help)) = explained(effect) {
            findings.add(code, effect.span, |finding| {
                finding.message = effect.what.clone();
                finding.why = why.to_owned();
                finding.help = help.to_owned();
            });
        }
    }
}

/// The code of an effect, why it is refused, and what to do. `readable` speaks of what was not understood.
fn explained(effect: &Effect) -> Option<(&'static str, &'static str, &'static str)> {
    let reading = "This connection is for reading only.";
    Some(match effect.kind {
        EffectKind::Write => ("writes", reading, "Leave out the part that writes."),
        EffectKind::Definition => ("changes_schema", reading, "Use WITH for what you would have put into a table."),
        EffectKind::Into => ("select_into", reading, "Leave out INTO; the rows are returned."),
        EffectKind::Lock => ("locks", "Locks hold up those who write.", "Leave out the locking clause."),
        EffectKind::Transaction => {
            ("transaction", "Each query runs in a transaction of its own.", "Send the query alone.")
        }
        EffectKind::Setting => ("changes_setting", "Settings are the operator's.", "Leave out the setting."),
        EffectKind::Pragma => (
            "pragma",
            "Most pragmas change how the database works, some of them by being read.",
            "Ask for the description of a table, or use PRAGMA table_info('table').",
        ),
        EffectKind::Attach => ("attaches", "Only this database may be read.", "Query the tables of this database."),
        EffectKind::ExternalData => {
            ("external_data", "Only this database may be read.", "Name a table of this database.")
        }
        EffectKind::ExplainAnalyze => {
            ("explain_analyze", "It runs the statement it explains.", "Use EXPLAIN without ANALYZE.")
        }
        EffectKind::ExecutableComment => {
            ("executable_comment", "What looks like a comment would be run.", "Leave out the comment.")
        }
        EffectKind::ForeignSyntax => (
            "foreign_syntax",
            "The engine would read this text in another way than it was checked.",
            "Write it plainly: strings in single quotes, comments behind `--` or left out.",
        ),
        EffectKind::InvisibleCharacter => {
            ("invisible_character", "What is shown and what is run would differ.", "Remove the character.")
        }
        EffectKind::EndsTheEngine => (
            "ends_the_engine",
            "The engine has a fault: its whole process ends, and everybody's session with it.",
            "Write the condition without a subquery, or let the subquery read a table.",
        ),
        EffectKind::Parameter => ("parameter", "Nothing fills in parameters here.", "Write the value itself."),
        EffectKind::Administration => ("administration", reading, "Write a SELECT statement."),
        EffectKind::NotUnderstood => return None,
        _ => ("effect", reading, "Write a plain SELECT statement."),
    })
}
