//! What a model is told about a draft that can't stand: the findings, in words it can act on.
//!
//! It continues the conversation of the draft, so that a model that keeps its prefix reads only these lines. Every
//! finding is one line with what is wrong and what there is instead; why it matters is of no use to a model.

use guard::{Finding, Severity};
use llm::{Message, Role};
use shown::Text;

use super::{message, replied};

/// Findings shown at most: beyond that a small model repairs none.
const MOST_FINDINGS: usize = 4;

/// The draft's conversation with the draft itself and what is wrong with it.
pub(crate) fn messages(draft: &[Message], sql: &str, problems: &[String], question: &str) -> Vec<Message> {
    let listed: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
    let text = Text::said("That query is wrong:").data(&listed.join("\n"));
    let text = text.and("Write the corrected query for:").and_asked(question.trim());
    let mut messages = draft.to_vec();
    messages.push(replied(sql));
    messages.push(message(Role::User, &text));
    messages
}

/// The findings that a repair has to deal with, a line each, errors before warnings.
pub(crate) fn problems(findings: &[Finding]) -> Vec<String> {
    let worded = |severity: Severity| {
        findings.iter().filter(move |finding| finding.severity == severity).map(|finding| {
            let mut line = finding.message.trim_end_matches('.').to_owned();
            if !finding.help.is_empty() {
                line.push_str(". ");
                line.push_str(finding.help.trim_end_matches('.'));
            }
            line.push('.');
            line
        })
    };
    worded(Severity::Error).chain(worded(Severity::Warning)).take(MOST_FINDINGS).collect()
}
