//! The embedded model: Qwen2.5-Coder in this process, without a server and without a key.
//!
//! A small model on a few cores is slow at reading, so what one call has read is kept: the next prompt continues
//! from the longest beginning that the two share. Put what stays the same first: instructions, then schema, then the
//! question.
//! Invariant: one call computes at a time; others wait their turn. A call whose future is dropped stops by itself.

mod network;
mod pull;
mod sampler;
mod template;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use candle_core::quantized::gguf_file;
use candle_core::quantized::tokenizer::TokenizerFromGguf;
use tokenizers::Tokenizer;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::chat::{ChatModel, ChatReply, ChatRequest, Likelihood, Message, ModelInfo, OnText, StopReason, Usage};
use crate::error::LlmError;
use crate::stops::StopGate;
use network::Network;
pub use pull::{MODEL_BYTES, MODEL_FILE, MODEL_SHA256, OnPull, PullProgress, model_path, pull};
use sampler::Sampler;
use template::{Piece, pieces};

/// Prompt and reply together, unless told otherwise. The keys and values of 4,096 tokens take 235 MB.
pub const DEFAULT_CONTEXT_TOKENS: usize = 4096;

/// Tokens that are fed at a time: enough to use the wide kernels, few enough to notice soon that nobody waits.
const FEED: usize = 256;

/// How long the parts of a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    /// Tokens of the prompt that were kept from the call before.
    pub reused_tokens: usize,
    /// Tokens of the prompt that had to be read.
    pub read_tokens: usize,
    /// The time it took to read them.
    pub reading: Duration,
    /// Tokens written.
    pub written_tokens: usize,
    /// The time it took to write them.
    pub writing: Duration,
}

/// A Qwen2 network in a GGUF file, ready to be talked to.
pub struct LocalModel {
    info: ModelInfo,
    engine: Arc<Mutex<Engine>>,
}

struct Engine {
    name: String,
    context: usize,
    network: Network,
    tokenizer: Tokenizer,
    start_token: u32,
    end_token: u32,
    /// Tokens that end a reply, `end_token` among them.
    end_tokens: Vec<u32>,
    /// The tokens whose keys and values the network holds, in their order.
    held: Vec<u32>,
    timing: Timing,
}

impl LocalModel {
    /// Opens a GGUF file with room for [`DEFAULT_CONTEXT_TOKENS`]. Takes seconds. In use it needs memory of two to
    /// three and a half times the file's size, as the kernels keep the weights in their own order beside the file's:
    /// 2.5 GB for [`MODEL_FILE`], 3.8 GB on processors with AMX.
    ///
    /// # Errors
    /// [`LlmError::NotFound`], [`LlmError::File`], and [`LlmError::BadModel`] for another architecture or a damaged
    /// file.
    pub fn open(path: &Path) -> Result<Self, LlmError> {
        Self::open_with_context(path, DEFAULT_CONTEXT_TOKENS)
    }

    /// The same with room for `context_tokens`, or as many as the model was trained for.
    ///
    /// # Errors
    /// As [`LocalModel::open`].
    pub fn open_with_context(path: &Path, context_tokens: usize) -> Result<Self, LlmError> {
        let name = path.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
        let file = File::open(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => {
                LlmError::NotFound { model: name.clone(), place: path.display().to_string() }
            }
            _ => LlmError::file(path, source),
        })?;
        let bad = |reason: String| LlmError::BadModel { path: path.to_path_buf(), reason };
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let content = gguf_file::Content::read(&mut reader).map_err(|error| bad(error.to_string()))?;
        let mut tokenizer = Tokenizer::from_gguf(&content).map_err(|error| bad(error.to_string()))?;
        tokenizer.set_encode_special_tokens(true);
        let token = |text: &str| tokenizer.token_to_id(text).ok_or_else(|| bad(format!("it has no token `{text}`")));
        let (start_token, end_token) = (token("<|im_start|>")?, token("<|im_end|>")?);
        let end_tokens = vec![end_token, token("<|endoftext|>")?];
        let network = Network::load(&content, &mut reader, path, context_tokens)?;
        let context = context_tokens.min(network.shape.trained_context);
        let info = ModelInfo {
            name: format!("local/{name}"),
            small: true,
            tools: false,
            json_schema: false,
            context_tokens: context,
        };
        let engine = Engine {
            name: info.name.clone(),
            context,
            network,
            tokenizer,
            start_token,
            end_token,
            end_tokens,
            held: Vec::new(),
            timing: Timing::default(),
        };
        Ok(Self { info, engine: Arc::new(Mutex::new(engine)) })
    }

    /// How long the parts of the last call took; waits for a running one.
    pub fn timing(&self) -> Timing {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner).timing
    }

    /// The exact number of tokens of `messages` as a prompt; waits for a running call.
    ///
    /// # Errors
    /// [`LlmError::Compute`] if the tokenizer fails.
    pub fn count_tokens(&self, messages: &[Message]) -> Result<usize, LlmError> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        engine.prompt(messages).map(|tokens| tokens.len())
    }
}

#[async_trait]
impl ChatModel for LocalModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        let (sender, mut receiver) = unbounded_channel();
        let (engine, request) = (self.engine.clone(), request.clone());
        let computation = tokio::task::spawn_blocking(move || {
            let mut engine = engine.lock().unwrap_or_else(|poisoned| {
                let mut engine = poisoned.into_inner();
                engine.held.clear();
                engine
            });
            engine.reply(&request, &sender)
        });
        while let Some(text) = receiver.recv().await {
            on_text(&text);
        }
        computation
            .await
            .map_err(|error| LlmError::Compute { model: self.info.name.clone(), reason: error.to_string() })?
    }
}

impl Engine {
    /// Answers one request. Stops early, with an error that nobody sees, when the receiver of `sender` is gone.
    fn reply(&mut self, request: &ChatRequest, sender: &UnboundedSender<String>) -> Result<ChatReply, LlmError> {
        let prompt = self.prompt(&request.messages)?;
        let reply_limit = request.max_tokens.max(1) as usize;
        if prompt.len() + reply_limit > self.context {
            return Err(LlmError::ContextTooLong {
                model: self.name.clone(),
                tokens: prompt.len(),
                reply: reply_limit,
                limit: self.context,
            });
        }
        let mut logits = self.read(&prompt, sender)?;

        let begun = Instant::now();
        let mut sampler = Sampler::new(request.temperature, request.seed);
        let mut gate = StopGate::new(&request.stop);
        let mut text = String::new();
        let mut written = Vec::with_capacity(reply_limit);
        let mut shown_tokens = 0;
        let mut stop = StopReason::Length;
        let mut likelihood = Likelihood::default();
        while written.len() < reply_limit {
            let token = sampler.next(&logits);
            likelihood.add(sampler::log_probability(&logits, token));
            if self.end_tokens.contains(&token) {
                stop = StopReason::End;
                break;
            }
            written.push(token);
            if let Some(piece) = self.readable(&written, &mut shown_tokens)? {
                show(gate.push(&piece), &mut text, sender);
            }
            if gate.is_closed() {
                stop = StopReason::End;
                break;
            }
            if written.len() == reply_limit {
                break;
            }
            logits = self.feed(&[token], sender)?;
        }
        if !gate.is_closed() {
            let rest = self.decode(&written[shown_tokens..])?;
            show(gate.push(&rest), &mut text, sender);
            show(gate.finish(), &mut text, sender);
        }
        self.timing.written_tokens = written.len();
        self.timing.writing = begun.elapsed();
        let usage = Usage { prompt_tokens: prompt.len() as u64, completion_tokens: written.len() as u64 };
        Ok(ChatReply { text, tool_calls: Vec::new(), usage, stop, likelihood: Some(likelihood) })
    }

    /// Reads the prompt, from where it differs from what is held.
    fn read(&mut self, prompt: &[u32], sender: &UnboundedSender<String>) -> Result<Vec<f32>, LlmError> {
        let begun = Instant::now();
        let common = self.held.iter().zip(prompt).take_while(|(held, wanted)| held == wanted).count();
        // The last token is read in any case: its logits are what the reply begins with.
        let common = common.min(prompt.len() - 1);
        self.held.truncate(common);
        let logits = self.feed(&prompt[common..], sender)?;
        self.timing = Timing {
            reused_tokens: common,
            read_tokens: prompt.len() - common,
            reading: begun.elapsed(),
            ..Timing::default()
        };
        Ok(logits)
    }

    /// Feeds tokens behind those that are held, and gives the logits behind the last.
    fn feed(&mut self, tokens: &[u32], sender: &UnboundedSender<String>) -> Result<Vec<f32>, LlmError> {
        let mut rest = tokens;
        while rest.len() > FEED {
            let (piece, behind) = rest.split_at(FEED);
            self.check_awaited(sender)?;
            self.network.feed(piece, self.held.len()).map_err(|error| self.failed(&error))?;
            self.held.extend_from_slice(piece);
            rest = behind;
        }
        self.check_awaited(sender)?;
        let logits = self.network.forward(rest, self.held.len()).map_err(|error| self.failed(&error))?;
        self.held.extend_from_slice(rest);
        Ok(logits)
    }

    fn check_awaited(&self, sender: &UnboundedSender<String>) -> Result<(), LlmError> {
        match sender.is_closed() {
            true => Err(LlmError::Compute { model: self.name.clone(), reason: "nobody waits for the reply".into() }),
            false => Ok(()),
        }
    }

    /// The tokens of a conversation, open for the reply.
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, LlmError> {
        let mut tokens = Vec::new();
        for piece in pieces(messages) {
            match piece {
                Piece::Start => tokens.push(self.start_token),
                Piece::End => tokens.push(self.end_token),
                Piece::Text(text) => {
                    let encoding = self.tokenizer.encode_fast(text, false).map_err(|error| self.failed(&error))?;
                    tokens.extend_from_slice(encoding.get_ids());
                }
            }
        }
        Ok(tokens)
    }

    /// The text behind the first `shown` tokens, if it ends in a whole character.
    fn readable(&self, written: &[u32], shown: &mut usize) -> Result<Option<String>, LlmError> {
        let piece = self.decode(&written[*shown..])?;
        // A character of several bytes may be spread over tokens, never over more than four.
        if piece.ends_with(char::REPLACEMENT_CHARACTER) && written.len() - *shown < 4 {
            return Ok(None);
        }
        *shown = written.len();
        Ok(Some(piece))
    }

    fn decode(&self, tokens: &[u32]) -> Result<String, LlmError> {
        self.tokenizer.decode(tokens, false).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> LlmError {
        LlmError::Compute { model: self.name.clone(), reason: error.to_string() }
    }
}

fn show(piece: String, text: &mut String, sender: &UnboundedSender<String>) {
    if !piece.is_empty() {
        text.push_str(&piece);
        // A closed channel is noticed before the next token is computed.
        let _ = sender.send(piece);
    }
}

#[cfg(test)]
mod tests;
