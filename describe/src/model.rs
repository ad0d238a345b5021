//! Descriptions by a model: asked for an object of a fixed shape, checked, asked once more with what was wrong.
//!
//! The model gets the structure, the profile and the rules' own text, and may only use columns that exist. SQL is not
//! asked for: the rules write it from names that are known to be right. What a model says about masked columns is not
//! taken, so that no guessed value stands beside a hidden one.

mod prompt;
mod reply;

use catalog::{Author, Catalog, Entry, TableDescription};
use jiff::Timestamp;
use llm::{ChatModel, ChatRequest, LlmError, Message, Role};
use shown::Text;

pub(crate) use self::prompt::correction;
pub(crate) use self::reply::{json_object, schema_of};
use crate::rules::by_rules;

/// Attempts, the first included.
const ATTEMPTS: usize = 2;
/// Room for the answer.
pub(crate) const ANSWER_TOKENS: u32 = 3_000;

/// Why a model's text was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelFailure {
    /// It could not be asked.
    #[error("the model could not be asked: {}", shown::with_sources(.0))]
    Provider(#[source] LlmError),
    /// It answered twice, and neither answer can be used.
    #[error("the model's answer can't be used: {0}")]
    Invalid(String),
}

/// What `model` says about the table; where it fails, what the rules say, with the failure recorded. Columns that the
/// model left out are the rules'.
pub async fn by_model(entry: &Entry, catalog: &Catalog, model: &dyn ChatModel, now: Timestamp) -> TableDescription {
    let rules = by_rules(entry, catalog, now);
    match ask_model(entry, catalog, model, &rules, now).await {
        Ok(description) => description,
        Err(failure) => TableDescription { failure: Some(failure.to_string()), ..rules },
    }
}

/// The model's description, or why there is none.
pub(crate) async fn ask_model(
    entry: &Entry,
    catalog: &Catalog,
    model: &dyn ChatModel,
    rules: &TableDescription,
    now: Timestamp,
) -> Result<TableDescription, ModelFailure> {
    let asked = prompt::columns_asked(entry);
    let mut messages = vec![
        message(Role::System, &Text::said(prompt::SYSTEM)),
        message(Role::User, &prompt::about(entry, catalog, rules, &asked)),
    ];
    let mut complaint = String::new();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            messages.push(message(Role::User, &correction(&complaint)));
        }
        let request = ChatRequest {
            messages: messages.clone(),
            json_schema: Some(schema_of::<reply::Reply>()),
            max_tokens: ANSWER_TOKENS,
            ..ChatRequest::default()
        };
        let answer = model.chat(&request, &mut |_| {}).await.map_err(ModelFailure::Provider)?;
        match reply::read(&answer.text, entry) {
            Ok(reply) => {
                let author = Author::Model(model.info().name.clone());
                return Ok(TableDescription { author, written_at: now, ..reply.over(rules, entry) });
            }
            Err(reason) => {
                complaint = reason;
                messages.push(Message { content: answer.text, ..message(Role::Assistant, &Text::default()) });
            }
        }
    }
    Err(ModelFailure::Invalid(complaint))
}

/// Estimated tokens of the request about the table.
pub(crate) fn prompt_tokens(entry: &Entry, catalog: &Catalog) -> usize {
    let rules = by_rules(entry, catalog, Timestamp::UNIX_EPOCH);
    let about = prompt::about(entry, catalog, &rules, &prompt::columns_asked(entry));
    let schema = schema_of::<reply::Reply>().to_string();
    [prompt::SYSTEM, &about.to_string(), &schema].into_iter().map(llm::estimate_tokens).sum()
}

/// A message of that role, in which the model can tell our words from others'.
pub(crate) fn message(role: Role, content: &Text) -> Message {
    Message { role, content: content.to_string(), tool_calls: Vec::new(), tool_call_id: None }
}

#[cfg(test)]
mod tests;
