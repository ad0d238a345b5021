//! OpenAI's Chat Completions, and everything that speaks them: Ollama, vLLM, llama.cpp, LM Studio, proxies.
//!
//! "Compatible" servers agree on the core and differ at the edges: a parameter that one refuses by name is left out
//! from then on, a reply that comes whole although a stream was asked for is read whole, and missing counts are
//! estimated.

mod stream;

use std::sync::Mutex;
use std::sync::PoisonError;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::chat::{ChatModel, ChatReply, ChatRequest, Message, ModelInfo, OnText, Role};
use crate::error::LlmError;
use crate::http::{Endpoint, EventReader, Failure, HttpOptions, Key, KeyHeader, Retries};
use stream::Assembly;
pub(crate) use stream::{estimated_usage, parsed_arguments};

/// OpenAI's own address.
pub(crate) const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// Parameters that a server may do without. Even the schema: whoever asks for one checks the reply against it.
const OPTIONAL: [&str; 5] = ["temperature", "seed", "stop", "stream_options", "response_format"];

/// A model behind a Chat Completions endpoint.
#[derive(Debug)]
pub(crate) struct OpenAiModel {
    info: ModelInfo,
    endpoint: Endpoint,
    /// OpenAI itself has renamed `max_tokens`; the others know only the old name.
    limit_name: &'static str,
    refused_parameters: Mutex<Vec<&'static str>>,
}

impl OpenAiModel {
    pub(crate) fn new(
        base_url: &str,
        model: &str,
        key: Option<Key>,
        context_tokens: Option<usize>,
        options: HttpOptions,
    ) -> Result<Self, LlmError> {
        let key = key.map(|key| (key, KeyHeader::Bearer));
        let endpoint = Endpoint::new(base_url, "/chat/completions", model, key, options)?;
        let host = endpoint.host();
        let official = host == "api.openai.com";
        let info = ModelInfo {
            name: format!("{}/{model}", if official { "openai" } else { host.as_str() }),
            small: is_small(model),
            tools: true,
            json_schema: true,
            // OpenAI's current models hold at least this; of a local server nothing larger can be taken for granted.
            context_tokens: context_tokens.unwrap_or(if official { 128_000 } else { 8_192 }),
        };
        let limit_name = if official { "max_completion_tokens" } else { "max_tokens" };
        Ok(Self { info, endpoint, limit_name, refused_parameters: Mutex::default() })
    }

    fn body(&self, request: &ChatRequest) -> Value {
        let mut body = json!({
            "model": self.endpoint.model,
            "messages": request.messages.iter().map(wire_message).collect::<Vec<_>>(),
            "stream": true,
            "stream_options": { "include_usage": true },
            "temperature": request.temperature,
        });
        body[self.limit_name] = request.max_tokens.into();
        if request.temperature > 0.0 {
            body["seed"] = request.seed.into();
        }
        if !request.stop.is_empty() {
            body["stop"] = json!(request.stop);
        }
        if !request.tools.is_empty() {
            let tool = |tool| json!({ "type": "function", "function": tool });
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(schema) = &request.json_schema {
            let schema = json!({ "name": "reply", "schema": schema, "strict": is_strict(schema) });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        if let Value::Object(fields) = &mut body {
            let refused = self.refused_parameters.lock().unwrap_or_else(PoisonError::into_inner);
            fields.retain(|name, _| !refused.contains(&name.as_str()));
        }
        body
    }

    async fn attempt(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, Failure> {
        let response = self.endpoint.post(&self.body(request)).await?;
        let mut assembly = Assembly::default();
        let is_stream = response
            .headers()
            .get(reqwest::header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_none_or(|kind| !kind.starts_with("application/json"));
        if !is_stream {
            let whole = self.endpoint.json(response).await?;
            let text = assembly.whole(&whole).map_err(|problem| self.failure(problem))?;
            if !text.is_empty() {
                on_text(&text);
            }
            return assembly.finish(request).map_err(|problem| self.failure(problem));
        }
        let mut shown = false;
        let mut events = EventReader::new(&self.endpoint, response);
        let read = async {
            while let Some(event) = events.next().await? {
                if event.data.trim() == "[DONE]" {
                    assembly.done();
                    break;
                }
                let text = assembly.push(&event.data).map_err(|problem| self.failure(problem))?;
                if !text.is_empty() {
                    shown = true;
                    on_text(&text);
                }
            }
            Ok(())
        };
        let read: Result<(), Failure> = read.await;
        read.and_then(|()| assembly.finish(request).map_err(|problem| self.failure(problem)))
            .map_err(|failure| if shown { failure.last() } else { failure })
    }

    fn failure(&self, problem: stream::Problem) -> Failure {
        match problem {
            stream::Problem::Unusable(reason) => self.endpoint.bad_reply(reason),
            stream::Problem::BrokenOff => Failure::again(LlmError::BadReply {
                endpoint: self.endpoint.shown.clone(),
                reason: "the stream broke off before the reply was complete".into(),
            }),
            stream::Problem::Refused(reason) => {
                Failure::Final(LlmError::Refused { model: self.endpoint.model.clone(), reason })
            }
            stream::Problem::Provider(said) => self.endpoint.provider_error(status_in(&said), &said, None),
        }
    }

    /// Notes a parameter that the server names in its refusal. True: another attempt without it makes sense.
    fn gives_up_parameter(&self, error: &LlmError) -> bool {
        let LlmError::Refused { reason, .. } = error else { return false };
        let mut refused = self.refused_parameters.lock().unwrap_or_else(PoisonError::into_inner);
        let named = OPTIONAL.into_iter().find(|name| refuses(reason, name) && !refused.contains(name));
        refused.extend(named);
        named.is_some()
    }
}

/// Does the message of an error blame the parameter `name`?
pub(crate) fn refuses(reason: &str, name: &str) -> bool {
    let reason = reason.to_lowercase();
    let blamed =
        ["unsupported", "not support", "unrecognized", "unknown", "deprecated", "not permitted", "extra inputs"];
    reason.contains(name) && blamed.iter().any(|word| reason.contains(word))
}

#[async_trait]
impl ChatModel for OpenAiModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        let options = self.endpoint.options;
        let call = async {
            let mut retries = Retries::new(options);
            loop {
                let failure = match self.attempt(request, on_text).await {
                    Ok(reply) => return Ok(reply),
                    Err(failure) => failure,
                };
                let error = match failure {
                    Failure::Final(error) => error,
                    again => {
                        retries.wait(again).await?;
                        continue;
                    }
                };
                if !self.gives_up_parameter(&error) {
                    return Err(too_long(error, request, &self.info));
                }
            }
        };
        self.endpoint.in_time(call).await
    }
}

/// Providers refuse a prompt that is too long in different words; ours is one error.
pub(crate) fn too_long(error: LlmError, request: &ChatRequest, info: &ModelInfo) -> LlmError {
    let LlmError::Refused { reason, .. } = &error else { return error };
    let reason = reason.to_lowercase();
    let signs =
        ["maximum context length", "context_length_exceeded", "prompt is too long", "context window", "context size"];
    if !signs.iter().any(|sign| reason.contains(sign)) {
        return error;
    }
    LlmError::ContextTooLong {
        model: info.name.clone(),
        tokens: request.messages.iter().map(|message| crate::estimate_tokens(&message.content)).sum(),
        reply: request.max_tokens as usize,
        limit: info.context_tokens,
    }
}

/// The HTTP status that an error inside a stream stands for, if it says so.
fn status_in(said: &Value) -> u16 {
    let code = said.get("error").and_then(|error| error.get("code")).and_then(Value::as_u64);
    code.and_then(|code| u16::try_from(code).ok()).unwrap_or(500)
}

fn wire_message(message: &Message) -> Value {
    match message.role {
        Role::System => json!({ "role": "system", "content": message.content }),
        Role::User => json!({ "role": "user", "content": message.content }),
        Role::Tool => json!({ "role": "tool", "content": message.content, "tool_call_id": message.tool_call_id }),
        Role::Assistant if message.tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": message.content })
        }
        Role::Assistant => {
            let calls = message.tool_calls.iter().map(|call| {
                let arguments = match &call.arguments {
                    Value::String(unparsed) => unparsed.clone(),
                    arguments => arguments.to_string(),
                };
                json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
            });
            let content = Some(&message.content).filter(|content| !content.is_empty());
            json!({ "role": "assistant", "content": content, "tool_calls": calls.collect::<Vec<_>>() })
        }
    }
}

/// Does the schema keep the rules of OpenAI's strict mode: every object is closed and every property required?
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = match fields.get("properties") {
                Some(Value::Object(properties)) => {
                    let required = fields.get("required").and_then(Value::as_array);
                    fields.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(|name| {
                            required.is_some_and(|required| required.iter().any(|field| field == name.as_str()))
                        })
                }
                _ => true,
            };
            closed && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

/// Models of fewer than ten thousand million parameters, by the size in their names (`qwen2.5-coder:7b`,
/// `Llama-3.2-3B-Instruct`): they follow one small instruction well and a free choice of tools badly.
pub(crate) fn is_small(model: &str) -> bool {
    model
        .to_lowercase()
        .split(['-', ':', '_', '/', '@'])
        .filter_map(|part| part.strip_suffix('b')?.parse::<f32>().ok())
        .any(|billions| billions < 10.0)
}

#[cfg(test)]
mod tests;
