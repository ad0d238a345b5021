//! *Who writes?*
//!
//! Chat models and embedders behind one trait each: Anthropic's Messages, everything that speaks OpenAI's Chat
//! Completions, and a model in this process ([`local`]). Every call can be recorded and replayed ([`replay`]).
//!
//! *Invariant:* no other room talks to a provider, and this one knows nothing of databases: messages go in, text and
//! tool calls come out. No key gets into an error, a log line or a configuration value.
//!
//! ```no_run
//! # async fn example() -> Result<(), llm::LlmError> {
//! use llm::{ChatRequest, Message, ModelConfig, ModelOptions, open_model};
//!
//! let config = ModelConfig::OpenAi {
//!     base_url: "http://localhost:11434/v1".into(),
//!     model: "qwen2.5-coder:7b".into(),
//!     key_env: None,
//! };
//! let model = open_model(&config, &ModelOptions::default())?;
//! let request = ChatRequest::new(vec![Message::user("Say hello in Greek.")]);
//! let reply = model.chat(&request, &mut |piece| eprint!("{piece}")).await?;
//! assert!(reply.usage.completion_tokens > 0);
//! # Ok(())
//! # }
//! ```

mod anthropic;
mod chat;
mod config;
mod embedding;
mod error;
mod http;
mod http_embedder;
#[cfg(feature = "local")]
pub mod local;
mod openai;
pub mod replay;
pub mod scripted;
#[cfg(feature = "local")]
mod stops;
mod tokens;
mod web_search;

pub use chat::{
    ChatModel, ChatReply, ChatRequest, Likelihood, Message, ModelInfo, OnText, Role, StopReason, ToolCall,
    ToolDefinition, Usage,
};
pub use config::{ModelConfig, ModelOptions, detect, detect_in, ollama_base_url, open_model, served_models};
pub use embedding::{
    Embedder, EmbeddingTableError, QuantizedQuery, QuantizedVectors, StaticEmbedder, WideRow, static_embedder,
};
pub use error::LlmError;
pub use http::HttpOptions;
pub use http_embedder::HttpEmbedder;
pub use tokens::estimate_tokens;
pub use web_search::{SearchEndpoint, WebResult, WebSearch, WebSearchError};
