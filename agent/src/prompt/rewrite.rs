//! The prompt for questions that bring their own SQL: dialect conversion and formatting. No schema is shown.

use catalog::Dialect;
use llm::{Message, Role};
use shown::Text;

use super::message;

/// The messages for a rewrite into `target`.
pub(crate) fn messages(question: &str, target: &Dialect) -> Vec<Message> {
    let system = Text::filled(include_str!("rewrite_system.txt"), &[("dialect", target.title())]);
    vec![message(Role::System, &system), message(Role::User, &Text::asked(question.trim()))]
}
