//! Asking back: what the server's model can't know, a client asks its user, where it can. Newer clients send the call again with
//! the answer (`InputRequiredResult` of 2026-07-28), older ones are asked while the call waits (elicitation). For others what is
//! asked stands in the reply.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::reply::Reply;
use crate::tools;

/// What the answer is called, in the form that a user fills in and among the answers that a client sends.
const ANSWER: &str = "answer";
/// So long a user is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a reply asks the user.
pub(super) fn asked<'r>(tool: &str, reply: &'r Reply) -> Option<&'r str> {
    let document = reply.structured().filter(|document| tool == tools::ASK && document["status"] != "answered")?;
    document["clarification"].as_str()
}

/// What a client sends with a call that it was asked to send again: the user's answer, or nothing where there is none.
pub(super) fn answered(request: &CallToolRequestParams) -> Option<Option<String>> {
    let sent = request.input_responses.as_ref()?.get(ANSWER)?;
    let result: ElicitResult = serde_json::from_value(sent.clone()).ok()?;
    Some(text_of(&result))
}

/// The question with what the user has answered.
pub(super) fn complete(arguments: &mut Value, answer: &str) {
    if let Some(question) = arguments["question"].as_str() {
        arguments["question"] = format!("{question} ({})", answer.trim()).into();
    }
}

/// How a client can be asked.
pub(super) enum Way {
    /// It sends the call again.
    Again,
    /// It answers while the call waits.
    Meanwhile,
}

/// How this client can be asked, if at all.
pub(super) fn way(context: &RequestContext<RoleServer>) -> Option<Way> {
    context.client_capabilities()?.elicitation?;
    let waits = context.protocol_version().is_none_or(|version| version.has_initialize());
    Some(if waits { Way::Meanwhile } else { Way::Again })
}

/// What a client is to ask before it sends the call again.
pub(super) fn again(question: &str) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
    InputRequiredResult::from_input_requests([(ANSWER.to_owned(), request)].into())
}

/// Asks while the call waits; nothing where the user doesn't answer.
pub(super) async fn meanwhile(question: &str, context: &RequestContext<RoleServer>) -> Option<String> {
    let asked = context.peer.create_elicitation_with_timeout(form(question), Some(PATIENCE)).await;
    text_of(&asked.ok()?)
}

fn form(question: &str) -> ElicitRequestParams {
    let requested_schema = ElicitationSchema::builder().required_string(ANSWER).build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: shown::one_line(question).into_owned(),
        requested_schema,
    }
}

fn text_of(result: &ElicitResult) -> Option<String> {
    let text = result.content.as_ref().filter(|_| result.action == ElicitationAction::Accept)?[ANSWER].as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}
