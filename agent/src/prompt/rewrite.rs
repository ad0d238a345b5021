//! The prompt for questions that bring their own SQL: dialect conversion and formatting. No schema is shown.

use catalog::Dialect;
use llm::{Message, Role};

use super::{dialect_name, fill, message};

/// The messages for a rewrite into `target`.
pub(crate) fn messages(question: &str, target: &Dialect) -> Vec<Message> {
    let system = fill(include_str!("rewrite_system.txt"), &[("dialect", dialect_name(target))]);
    vec![message(Role::System, system), message(Role::User, question.trim())]
}
