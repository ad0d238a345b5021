//! Anthropic's Messages.
//!
//! A JSON schema is asked for as a tool that must be called, whose arguments are then the reply: that is how this
//! provider holds a model to a schema. The instructions are marked as cacheable: they hold the schema of a database
//! and come again with every question.

mod stream;

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::chat::{ChatModel, ChatReply, ChatRequest, Message, ModelInfo, OnText, Role};
use crate::error::LlmError;
use crate::http::{Endpoint, EventReader, Failure, HttpOptions, Key, KeyHeader, Retries};
use crate::openai::{refuses, too_long};
use stream::{Assembly, Problem};

/// Anthropic's own address.
pub(crate) const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";
/// The version of the protocol that this file is written after.
const PROTOCOL: &str = "2023-06-01";
/// The tool that stands for the reply, where a JSON schema is asked for.
const REPLY_TOOL: &str = "reply";

/// A model behind Anthropic's Messages.
#[derive(Debug)]
pub(crate) struct AnthropicModel {
    info: ModelInfo,
    endpoint: Endpoint,
    /// Some models take no temperature.
    without_temperature: AtomicBool,
}

impl AnthropicModel {
    pub(crate) fn new(
        base_url: &str,
        model: &str,
        key: Key,
        context_tokens: Option<usize>,
        options: HttpOptions,
    ) -> Result<Self, LlmError> {
        let base_url = base_url.trim_end_matches('/').trim_end_matches("/v1");
        let endpoint = Endpoint::new(base_url, "/v1/messages", model, Some((key, KeyHeader::ApiKey)), options)?
            .with_header("anthropic-version", PROTOCOL);
        let info = ModelInfo {
            name: format!("anthropic/{model}"),
            small: false,
            tools: true,
            json_schema: true,
            context_tokens: context_tokens.unwrap_or(200_000),
        };
        Ok(Self { info, endpoint, without_temperature: AtomicBool::new(false) })
    }

    fn body(&self, request: &ChatRequest) -> Value {
        let mut body = json!({
            "model": self.endpoint.model,
            "max_tokens": request.max_tokens,
            "messages": wire_messages(&request.messages),
            "stream": true,
        });
        if !self.without_temperature.load(Ordering::Relaxed) {
            body["temperature"] = json!(request.temperature);
        }
        let instructions: Vec<&str> = request
            .messages
            .iter()
            .filter(|message| message.role == Role::System && !message.content.is_empty())
            .map(|message| message.content.as_str())
            .collect();
        if !instructions.is_empty() {
            body["system"] = json!([{
                "type": "text", "text": instructions.join("\n\n"), "cache_control": { "type": "ephemeral" },
            }]);
        }
        // The provider refuses stop strings of white space alone.
        let stop: Vec<&String> = request.stop.iter().filter(|stop| !stop.trim().is_empty()).collect();
        if !stop.is_empty() {
            body["stop_sequences"] = json!(stop);
        }
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters }))
            .collect();
        if let Some(schema) = &request.json_schema {
            let choice =
                if tools.is_empty() { json!({ "type": "tool", "name": REPLY_TOOL }) } else { json!({ "type": "any" }) };
            body["tool_choice"] = choice;
            tools.push(json!({ "name": REPLY_TOOL, "description": "Gives the reply.", "input_schema": schema }));
        }
        if !tools.is_empty() {
            body["tools"] = Value::Array(tools);
        }
        body
    }

    async fn attempt(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, Failure> {
        let response = self.endpoint.post(&self.body(request)).await?;
        let mut assembly = Assembly::new(request.json_schema.as_ref().map(|_| REPLY_TOOL));
        let mut shown = false;
        let mut events = EventReader::new(&self.endpoint, response);
        let read = async {
            while !assembly.is_complete() {
                let Some(event) = events.next().await? else { break };
                let text = assembly.push(&event.data).map_err(|problem| self.failure(problem))?;
                if !text.is_empty() {
                    shown = true;
                    on_text(&text);
                }
            }
            Ok(())
        };
        let read: Result<(), Failure> = read.await;
        read.and_then(|()| assembly.finish().map_err(|problem| self.failure(problem)))
            .map_err(|failure| if shown { failure.last() } else { failure })
    }

    fn failure(&self, problem: Problem) -> Failure {
        match problem {
            Problem::Unusable(reason) => self.endpoint.bad_reply(reason),
            Problem::BrokenOff => Failure::again(LlmError::BadReply {
                endpoint: self.endpoint.shown.clone(),
                reason: "the stream broke off before the reply was complete".into(),
            }),
            Problem::Refused => Failure::Final(LlmError::Refused {
                model: self.endpoint.model.clone(),
                reason: "the model declines to answer".into(),
            }),
            // Of an error inside a stream the status is not said; `provider_error` goes by the kind first.
            Problem::Provider(said) => self.endpoint.provider_error(500, &said, None),
        }
    }
}

#[async_trait]
impl ChatModel for AnthropicModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        let options = self.endpoint.options;
        let call = async {
            let mut retries = Retries::new(options);
            loop {
                match self.attempt(request, on_text).await {
                    Ok(reply) => return Ok(reply),
                    Err(Failure::Final(LlmError::Refused { reason, .. }))
                        if refuses(&reason, "temperature")
                            && !self.without_temperature.swap(true, Ordering::Relaxed) => {}
                    Err(Failure::Final(error)) => return Err(too_long(error, request, &self.info)),
                    Err(again) => retries.wait(again).await?,
                }
            }
        };
        self.endpoint.in_time(call).await
    }
}

/// The turns, without the instructions. Results of tools are the user's turn here, all results of one turn in one
/// message; so neighbours of one role are joined.
fn wire_messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let mut blocks = Vec::new();
        let role = match message.role {
            Role::System => continue,
            Role::Assistant => "assistant",
            Role::User => "user",
            Role::Tool => {
                blocks.push(json!({
                    "type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content,
                }));
                "user"
            }
        };
        // Empty text blocks are refused.
        if message.role != Role::Tool && !message.content.trim().is_empty() {
            blocks.push(json!({ "type": "text", "text": message.content }));
        }
        blocks.extend(message.tool_calls.iter().map(|call| {
            let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
        }));
        match turns.last_mut() {
            Some((last, together)) if *last == role => together.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns
        .into_iter()
        .filter(|(_, blocks)| !blocks.is_empty())
        .map(|(role, content)| json!({ "role": role, "content": content }))
        .collect()
}

#[cfg(test)]
mod tests;
