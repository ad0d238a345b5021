//! Puts a reply together from the events of a Messages stream.

use serde_json::Value;

use crate::chat::{ChatReply, MOST_TEXT, StopReason, ToolCall, Usage};
use crate::openai::parsed_arguments;

/// Why no reply came out.
#[derive(Debug)]
pub(super) enum Problem {
    /// Not what the protocol promises.
    Unusable(String),
    /// It ended in the middle.
    BrokenOff,
    /// The model says no.
    Refused,
    /// An error object instead of an event.
    Provider(Value),
}

#[derive(Debug)]
enum Block {
    Text,
    Tool {
        id: String,
        name: String,
        arguments: String,
    },
    /// The arguments of the tool that stands for the reply.
    Reply,
    /// Thinking and whatever comes new: not for us.
    Other,
}

/// The reply so far.
#[derive(Debug)]
pub(super) struct Assembly {
    reply_tool: Option<&'static str>,
    text: String,
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<String>,
    complete: bool,
}

impl Assembly {
    pub(super) fn new(reply_tool: Option<&'static str>) -> Self {
        Self {
            reply_tool,
            text: String::new(),
            blocks: Vec::new(),
            usage: Usage::default(),
            stop: None,
            complete: false,
        }
    }

    /// True after the last event.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Takes one event and gives the text in it.
    pub(super) fn push(&mut self, data: &str) -> Result<String, Problem> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| Problem::Unusable(format!("an event is not JSON ({error}): `{data}`")))?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => self.open(&event)?,
            "content_block_delta" => return self.delta(&event),
            "message_delta" => {
                self.count(&event["usage"]);
                self.stop = event["delta"]["stop_reason"].as_str().map(str::to_owned).or(self.stop.take());
            }
            "message_stop" => self.complete = true,
            "error" => return Err(Problem::Provider(event)),
            // `ping`, `content_block_stop`, and events of later versions.
            _ => {}
        }
        Ok(String::new())
    }

    /// Later counts stand for the whole message, so they replace earlier ones.
    fn count(&mut self, usage: &Value) {
        let count = |name: &str| usage[name].as_u64();
        if let Some(fresh) = count("input_tokens") {
            let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
            self.usage.prompt_tokens = fresh + cached.into_iter().filter_map(count).sum::<u64>();
        }
        if let Some(written) = count("output_tokens") {
            self.usage.completion_tokens = written;
        }
    }

    fn open(&mut self, event: &Value) -> Result<(), Problem> {
        let index = event["index"].as_u64().unwrap_or(self.blocks.len() as u64) as usize;
        if index != self.blocks.len() {
            return Err(Problem::Unusable(format!("block {index} follows {} blocks", self.blocks.len())));
        }
        let block = &event["content_block"];
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        self.blocks.push(match block["type"].as_str() {
            Some("text") => Block::Text,
            Some("tool_use") if self.reply_tool.is_some_and(|reply| text("name") == reply) => Block::Reply,
            Some("tool_use") => Block::Tool { id: text("id"), name: text("name"), arguments: String::new() },
            _ => Block::Other,
        });
        Ok(())
    }

    fn delta(&mut self, event: &Value) -> Result<String, Problem> {
        let index = event["index"].as_u64().unwrap_or(0) as usize;
        let Some(block) = self.blocks.get_mut(index) else {
            return Err(Problem::Unusable(format!("block {index} goes on but never began")));
        };
        let delta = &event["delta"];
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        let shown = match block {
            // Where the reply is a tool's arguments, other text is the model thinking aloud.
            Block::Text if self.reply_tool.is_none() => piece("text"),
            Block::Reply => piece("partial_json"),
            Block::Tool { arguments, .. } => {
                arguments.push_str(piece("partial_json"));
                ""
            }
            Block::Text | Block::Other => "",
        };
        self.text.push_str(shown);
        if self.text.len() > MOST_TEXT {
            return Err(Problem::Unusable(format!("it is longer than {MOST_TEXT} bytes")));
        }
        Ok(shown.to_owned())
    }

    /// The reply, if it is whole.
    pub(super) fn finish(self) -> Result<ChatReply, Problem> {
        if !self.complete && self.stop.is_none() {
            return Err(Problem::BrokenOff);
        }
        let tool_calls: Vec<ToolCall> = self
            .blocks
            .into_iter()
            .filter_map(|block| match block {
                Block::Tool { id, name, arguments } => {
                    Some(ToolCall { id, name, arguments: parsed_arguments(arguments) })
                }
                _ => None,
            })
            .collect();
        let stop = match self.stop.as_deref() {
            Some("refusal") => return Err(Problem::Refused),
            Some("tool_use") if tool_calls.is_empty() => StopReason::End,
            Some("tool_use") => StopReason::ToolCalls,
            Some("end_turn" | "stop_sequence") | None => StopReason::End,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some(other) => StopReason::Other(other.to_owned()),
        };
        Ok(ChatReply { text: self.text, tool_calls, usage: self.usage, stop, likelihood: None })
    }
}
