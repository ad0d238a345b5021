//! The vocabulary of a chat with a model, and the one trait every model answers to.
//!
//! It is the intersection of what the providers offer that our loop needs, not their union: text, tool calls, a JSON
//! schema for the reply, a limit, a temperature and stop strings. What a provider lacks, its adapter does without and
//! says so in [`ModelInfo`].

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::LlmError;

/// Bytes of a reply's text; a statement has a few hundred, and what never ends is none.
pub(crate) const MOST_TEXT: usize = 200_000;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions that hold for the whole conversation.
    System,
    /// The person, or our program on their behalf.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// The text; may be empty when there are tool calls.
    pub content: String,
    /// The tools that the model wants called; only with [`Role::Assistant`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Which call this is the result of; only with [`Role::Tool`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self::of(Role::System, content)
    }

    /// What the user says.
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(Role::User, content)
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of(Role::Assistant, content)
    }

    /// The model's turn as it was replied, to be sent back with the results of its tool calls.
    pub fn from_reply(reply: &ChatReply) -> Self {
        Self { tool_calls: reply.tool_calls.clone(), ..Self::of(Role::Assistant, reply.text.clone()) }
    }

    /// The result of the tool call `id`.
    pub fn tool_result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { tool_call_id: Some(id.into()), ..Self::of(Role::Tool, content) }
    }

    fn of(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }
}

/// A tool the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// A JSON schema of an object.
    pub parameters: serde_json::Value,
}

/// A call of a tool, wanted by the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's identifier, to be repeated in the result.
    pub id: String,
    /// The tool's name. Not checked against the definitions: a model may invent one.
    pub name: String,
    /// An object; a string holding what the model wrote, where that is not JSON.
    pub arguments: serde_json::Value,
}

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far. Every system message counts as an instruction, wherever it stands.
    pub messages: Vec<Message>,
    /// The tools the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// The reply must be a JSON object of this schema. Ignored by models without [`ModelInfo::json_schema`]: say it
    /// in the prompt too, and check the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<serde_json::Value>,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
    /// 0: the likeliest reply.
    pub temperature: f32,
    /// Which of the replies that a temperature allows: the same request draws the same one, where the provider can.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seed: u64,
    /// The reply ends before the first of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

impl Default for ChatRequest {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            tools: Vec::new(),
            json_schema: None,
            max_tokens: 1024,
            temperature: 0.0,
            seed: 0,
            stop: Vec::new(),
        }
    }
}

impl ChatRequest {
    /// A request with greedy decoding, up to 1,024 tokens of reply, and no tools.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}

fn is_zero(seed: &u64) -> bool {
    *seed == 0
}

/// What the model replied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text, without the stop string.
    pub text: String,
    /// The tools it wants called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop: StopReason,
    /// How likely the model held the text to be, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<Likelihood>,
}

/// The probability of a reply by the model itself, at temperature 1 whatever it was drawn at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The natural logarithms of its tokens' probabilities, summed; 0 is certain.
    pub sum: f32,
    /// That of its least likely token.
    pub least: f32,
}

impl Likelihood {
    /// Takes one more token in, by the logarithm of its probability.
    #[cfg(feature = "local")]
    pub(crate) fn add(&mut self, log_probability: f32) {
        self.sum += log_probability;
        self.least = self.least.min(log_probability);
    }
}

/// Tokens of one call. Estimated with [`crate::estimate_tokens`] where the provider doesn't say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones among them.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub completion_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done, or came to a stop string.
    End,
    /// [`ChatRequest::max_tokens`] were written: the text is cut.
    Length,
    /// It wants tools called.
    ToolCalls,
    /// A reason we don't know, as the provider writes it.
    Other(String),
}

/// What a model can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name that traces and the catalog show, `provider/model`.
    pub name: String,
    /// True: give it a scripted pipeline with one small task a call rather than tools and freedom.
    pub small: bool,
    /// It can call tools.
    pub tools: bool,
    /// It can be held to a JSON schema.
    pub json_schema: bool,
    /// Prompt and reply together, in tokens.
    pub context_tokens: usize,
}

/// What sees the text of a reply as it comes.
///
/// A name of its own because `async_trait` would tie the `&str` of a written-out `dyn FnMut(&str)` to the call's
/// lifetime: implement [`ChatModel`] with this name.
pub type OnText<'a> = dyn FnMut(&str) + Send + 'a;

/// A model that can be talked to.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// What it can do.
    fn info(&self) -> &ModelInfo;

    /// Asks, and waits for the whole reply; `on_text` sees the text as it comes, in pieces that join up to
    /// [`ChatReply::text`].
    ///
    /// A failed attempt is repeated only as long as nothing was passed to `on_text`.
    ///
    /// # Errors
    /// [`LlmError::Unreachable`], [`LlmError::Timeout`], [`LlmError::RateLimited`] and [`LlmError::Unavailable`] after
    /// all retries; [`LlmError::Auth`], [`LlmError::Refused`], [`LlmError::BadReply`] and [`LlmError::ContextTooLong`]
    /// at once.
    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError>;
}
