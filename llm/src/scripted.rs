//! For tests of the rooms that talk to a model: one that says what it is told to say, and remembers what it was asked.
//!
//! Where a real model's replies matter, record them ([`crate::replay`]); where only the path matters that a reply
//! sends the program on, this is shorter.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::chat::{ChatModel, ChatReply, ChatRequest, ModelInfo, OnText, StopReason, ToolCall};
use crate::error::LlmError;
use crate::openai::estimated_usage;

/// A queue of replies.
pub struct Scripted {
    info: ModelInfo,
    replies: Mutex<VecDeque<Result<ChatReply, LlmError>>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    /// A large model with tools and JSON schemas, without replies.
    pub fn new() -> Self {
        Self {
            info: ModelInfo {
                name: "scripted".into(),
                small: false,
                tools: true,
                json_schema: true,
                context_tokens: 128_000,
            },
            replies: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    /// A model that replies with these texts, one a call.
    pub fn with_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        texts.into_iter().fold(Self::new(), Self::text)
    }

    /// Another ability than that of a large model.
    #[must_use]
    pub fn with_info(mut self, info: ModelInfo) -> Self {
        self.info = info;
        self
    }

    /// The next reply is this text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.then(Ok(ChatReply {
            text: text.into(),
            tool_calls: Vec::new(),
            usage: Default::default(),
            stop: StopReason::End,
            likelihood: None,
        }))
    }

    /// The next reply is a call of the tool `name`.
    #[must_use]
    pub fn tool_call(self, name: &str, arguments: serde_json::Value) -> Self {
        let id = format!("call_{}", self.replies.lock().unwrap_or_else(PoisonError::into_inner).len());
        self.then(Ok(ChatReply {
            text: String::new(),
            tool_calls: vec![ToolCall { id, name: name.into(), arguments }],
            usage: Default::default(),
            stop: StopReason::ToolCalls,
            likelihood: None,
        }))
    }

    /// The next reply, or failure. A reply without usage gets an estimate.
    #[must_use]
    pub fn then(self, reply: Result<ChatReply, LlmError>) -> Self {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push_back(reply);
        self
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The replies that nobody has asked for yet.
    pub fn remaining(&self) -> usize {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Default for Scripted {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let mut reply = next.unwrap_or_else(|| {
            Err(LlmError::BadReply { endpoint: "scripted".into(), reason: "the script has no more replies".into() })
        })?;
        if reply.usage == Default::default() {
            reply.usage = estimated_usage(request, &reply.text);
        }
        if !reply.text.is_empty() {
            on_text(&reply.text);
        }
        Ok(reply)
    }
}
