//! The prompts: one file each, with its text beside it.
//!
//! They are short on purpose. On two cores a local model reads some sixty tokens a second, so a sentence of advice
//! costs every question a second. Longer instructions have not been seen to help: on 60 questions of a training set, a
//! system message of two sentences and one of four answered the same number right.
//!
//! Names, values, descriptions and what people approved are data: they stand between marks that they can't forge, and a
//! system message says what that means. The question stands outside, since it is what the model is to follow.
//!
//! Invariant: what stays the same between calls comes first and what changes comes last, so that a model that keeps
//! its prefix reads only the difference.

pub(crate) mod decompose;
pub(crate) mod draft;
pub(crate) mod repair;
pub(crate) mod rewrite;
pub(crate) mod schema;
pub(crate) mod tools;

use llm::{ChatRequest, Message, Role};
use shown::Text;

/// Room for one statement.
pub(crate) const STATEMENT_TOKENS: u32 = 320;

/// A message of that role. Its text tells our words from others', and there is no other way to make one.
pub(crate) fn message(role: Role, content: &Text) -> Message {
    Message { role, content: content.to_string(), tool_calls: Vec::new(), tool_call_id: None }
}

/// What a model itself has said.
pub(crate) fn replied(content: impl Into<String>) -> Message {
    Message { role: Role::Assistant, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
}

/// A request without tools, greedy, for one statement.
pub(crate) fn statement_request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { max_tokens: STATEMENT_TOKENS, ..ChatRequest::new(messages) }
}
