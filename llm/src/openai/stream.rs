//! Puts a reply together from the chunks of a Chat Completions stream.

use serde_json::Value;

use crate::chat::{ChatReply, ChatRequest, MOST_TEXT, StopReason, ToolCall, Usage};
use crate::tokens::estimate_tokens;

/// Why no reply came out.
#[derive(Debug)]
pub(super) enum Problem {
    /// Not what the protocol promises.
    Unusable(String),
    /// It ended in the middle.
    BrokenOff,
    /// The model says no.
    Refused(String),
    /// An error object instead of a chunk.
    Provider(Value),
}

#[derive(Debug, Default)]
struct PartialCall {
    id: String,
    name: String,
    arguments: String,
}

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    text: String,
    refusal: String,
    calls: Vec<PartialCall>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    done: bool,
}

impl Assembly {
    /// Takes one chunk and gives the text in it.
    pub(super) fn push(&mut self, data: &str) -> Result<String, Problem> {
        let chunk: Value = serde_json::from_str(data)
            .map_err(|error| Problem::Unusable(format!("a chunk is not JSON ({error}): `{data}`")))?;
        self.take(&chunk, "delta")
    }

    /// Takes a reply that came whole.
    pub(super) fn whole(&mut self, reply: &Value) -> Result<String, Problem> {
        self.done = true;
        if reply["choices"].as_array().is_none_or(Vec::is_empty) && reply.get("error").is_none() {
            return Err(Problem::Unusable(format!("it has no `choices`: `{reply}`")));
        }
        self.take(reply, "message")
    }

    /// The server has said that there is nothing more.
    pub(super) fn done(&mut self) {
        self.done = true;
    }

    fn take(&mut self, chunk: &Value, part: &str) -> Result<String, Problem> {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Problem::Provider(chunk.clone()));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            let count = |name: &str| usage[name].as_u64().unwrap_or(0);
            self.usage =
                Some(Usage { prompt_tokens: count("prompt_tokens"), completion_tokens: count("completion_tokens") });
        }
        // The last chunk has the usage and no choice; some servers send chunks with neither.
        let Some(choice) = chunk["choices"].get(0) else { return Ok(String::new()) };
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop = Some(match reason {
                "stop" | "eos" => StopReason::End,
                "length" => StopReason::Length,
                "tool_calls" | "function_call" => StopReason::ToolCalls,
                "content_filter" => {
                    return Err(Problem::Refused("the provider's content filter ended the reply".into()));
                }
                other => StopReason::Other(other.to_owned()),
            });
        }
        let said = &choice[part];
        if let Some(refusal) = said["refusal"].as_str() {
            self.refusal.push_str(refusal);
        }
        for (position, call) in said["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.take_call(position, call)?;
        }
        let text = said["content"].as_str().unwrap_or_default();
        self.text.push_str(text);
        if self.text.len() > MOST_TEXT {
            return Err(Problem::Unusable(format!("it is longer than {MOST_TEXT} bytes")));
        }
        Ok(text.to_owned())
    }

    fn take_call(&mut self, position: usize, call: &Value) -> Result<(), Problem> {
        // Servers without `index` send each call whole, in its own chunk, with an identifier of its own.
        let known = call["id"].as_str().and_then(|id| self.calls.iter().position(|call| call.id == id));
        let index = match call["index"].as_u64() {
            Some(index) => index as usize,
            None if call["id"].is_string() => known.unwrap_or(self.calls.len()),
            None => position,
        };
        if index >= 256 {
            return Err(Problem::Unusable(format!("it wants {index} tool calls")));
        }
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, PartialCall::default);
        }
        let partial = &mut self.calls[index];
        if let Some(id) = call["id"].as_str().filter(|id| !id.is_empty()) {
            partial.id = id.to_owned();
        }
        let function = &call["function"];
        if let Some(name) = function["name"].as_str() {
            partial.name.push_str(name);
        }
        match &function["arguments"] {
            Value::String(piece) => partial.arguments.push_str(piece),
            Value::Null => {}
            // Ollama's own habit: an object instead of its text.
            object => partial.arguments = object.to_string(),
        }
        Ok(())
    }

    /// The reply, if it is whole.
    pub(super) fn finish(self, request: &ChatRequest) -> Result<ChatReply, Problem> {
        if !self.refusal.is_empty() {
            return Err(Problem::Refused(self.refusal));
        }
        if !self.done && self.stop.is_none() {
            return Err(Problem::BrokenOff);
        }
        let tool_calls: Vec<ToolCall> = self
            .calls
            .into_iter()
            .enumerate()
            .filter(|(_, call)| !call.name.is_empty())
            .map(|(index, call)| ToolCall {
                id: if call.id.is_empty() { format!("call_{index}") } else { call.id },
                name: call.name,
                arguments: parsed_arguments(call.arguments),
            })
            .collect();
        let stop = match self.stop {
            // Several servers say "stop" after tool calls.
            Some(StopReason::End) | None if !tool_calls.is_empty() => StopReason::ToolCalls,
            Some(stop) => stop,
            None => StopReason::End,
        };
        let usage = self.usage.unwrap_or_else(|| estimated_usage(request, &self.text));
        Ok(ChatReply { text: self.text, tool_calls, usage, stop, likelihood: None })
    }
}

/// The arguments as an object; what is not JSON stays a string, for the caller to complain about to the model.
pub(crate) fn parsed_arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// What a call cost, of a server that doesn't count.
pub(crate) fn estimated_usage(request: &ChatRequest, text: &str) -> Usage {
    let prompt: usize = request.messages.iter().map(|message| estimate_tokens(&message.content) + 4).sum();
    Usage { prompt_tokens: prompt as u64, completion_tokens: estimate_tokens(text) as u64 }
}
