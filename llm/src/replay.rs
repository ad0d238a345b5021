//! Recorded calls: a model that remembers what another one replied, so that tests and evaluations run without it.
//!
//! A cassette is a file of JSON lines that a person can read and a diff can show: a header, then one line a call with
//! the whole request and the whole reply. A call is found by a hash of its request, so a changed prompt is noticed
//! instead of being answered with what an older one got.
//! Invariant: the hash depends on what the model would read, not on the order of JSON keys, the kind of line ends or
//! trailing white space.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::chat::{ChatModel, ChatReply, ChatRequest, ModelInfo, OnText};
use crate::error::LlmError;

/// The version of the cassette's lines.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    model: String,
    small: bool,
    tools: bool,
    json_schema: bool,
    context_tokens: usize,
}

#[derive(Serialize, Deserialize)]
struct Call {
    key: String,
    request: ChatRequest,
    reply: ChatReply,
}

/// Passes calls on to a model and writes them down. What the cassette held before is answered from it, so that a run
/// that is repeated with one thing changed pays only for the calls that change with it.
pub struct Recorder {
    model: Box<dyn ChatModel>,
    path: PathBuf,
    file: Mutex<File>,
    before: Option<Replay>,
}

impl Recorder {
    /// Records to `path`; an existing cassette is continued. A last line that was cut short is taken off.
    ///
    /// # Errors
    /// [`LlmError::File`]; [`LlmError::Config`] where the file is no cassette, or one of another model.
    pub fn new(model: Box<dyn ChatModel>, path: &Path) -> Result<Self, LlmError> {
        let failed = |error| LlmError::file(path, error);
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
        let mut held = Vec::new();
        file.read_to_end(&mut held).map_err(failed)?;
        let whole = held.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(failed)?;
        let before = if whole > 0 { Some(Replay::open(path)?) } else { None };
        let info = model.info();
        match &before {
            Some(before) if before.info.name != info.name => {
                let reason =
                    format!("`{}` holds calls of `{}`, not of `{}`", path.display(), before.info.name, info.name);
                return Err(LlmError::Config { reason });
            }
            Some(_) => {}
            None => {
                let header = Header {
                    format: FORMAT,
                    model: info.name.clone(),
                    small: info.small,
                    tools: info.tools,
                    json_schema: info.json_schema,
                    context_tokens: info.context_tokens,
                };
                write_line(&mut file, &header).map_err(failed)?;
            }
        }
        Ok(Self { model, path: path.to_path_buf(), file: Mutex::new(file), before })
    }
}

#[async_trait]
impl ChatModel for Recorder {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        if let Some(before) = &self.before
            && before.holds(request)
        {
            return before.chat(request, on_text).await;
        }
        let reply = self.model.chat(request, on_text).await?;
        let call = Call { key: request_key(request), request: request.clone(), reply };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut file, &call).map_err(|error| LlmError::file(&self.path, error))?;
        Ok(call.reply)
    }
}

fn write_line(file: &mut File, line: &impl Serialize) -> std::io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

/// Answers from a cassette. A request that was recorded several times gets its replies in their order, then the last
/// one again.
pub struct Replay {
    info: ModelInfo,
    path: PathBuf,
    calls: Mutex<HashMap<String, Recorded>>,
}

#[derive(Default)]
struct Recorded {
    replies: Vec<ChatReply>,
    given: usize,
}

impl Replay {
    /// Reads a cassette.
    ///
    /// # Errors
    /// [`LlmError::File`]; [`LlmError::Config`] for a line that is not part of a cassette, with its number.
    pub fn open(path: &Path) -> Result<Self, LlmError> {
        let file = File::open(path).map_err(|error| LlmError::file(path, error))?;
        let wrong = |line: usize, reason: String| LlmError::Config {
            reason: format!("line {line} of the cassette `{}`: {reason}", path.display()),
        };
        let mut lines = BufReader::new(file).lines().enumerate().map(|(index, line)| (index + 1, line));
        let header = match lines.next() {
            Some((_, line)) => line.map_err(|error| LlmError::file(path, error))?,
            None => return Err(wrong(1, "the file is empty".into())),
        };
        let header: Header = serde_json::from_str(&header).map_err(|error| wrong(1, error.to_string()))?;
        if header.format > FORMAT {
            return Err(wrong(1, format!("format {}; this version reads up to {FORMAT}", header.format)));
        }
        let mut calls: HashMap<String, Recorded> = HashMap::new();
        for (number, line) in lines {
            let line = line.map_err(|error| LlmError::file(path, error))?;
            if line.trim().is_empty() {
                continue;
            }
            let call: Call = serde_json::from_str(&line).map_err(|error| wrong(number, error.to_string()))?;
            // Not the key in the file: an edited request is found under what it says now.
            calls.entry(request_key(&call.request)).or_default().replies.push(call.reply);
        }
        let info = ModelInfo {
            name: header.model,
            small: header.small,
            tools: header.tools,
            json_schema: header.json_schema,
            context_tokens: header.context_tokens,
        };
        Ok(Self { info, path: path.to_path_buf(), calls: Mutex::new(calls) })
    }

    fn holds(&self, request: &ChatRequest) -> bool {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&request_key(request))
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        let key = request_key(request);
        let reply = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.get_mut(&key).and_then(|recorded| {
                let index = recorded.given.min(recorded.replies.len().checked_sub(1)?);
                recorded.given += 1;
                recorded.replies.get(index).cloned()
            })
        };
        let reply = reply.ok_or_else(|| LlmError::NotRecorded {
            path: self.path.clone(),
            key,
            tail: request.messages.last().map(|message| tail(&message.content)).unwrap_or_default(),
        })?;
        if !reply.text.is_empty() {
            on_text(&reply.text);
        }
        Ok(reply)
    }
}

/// The hash that a request is found by: SHA-256 of its normal form, the first 16 bytes in hexadecimal.
pub fn request_key(request: &ChatRequest) -> String {
    let mut normal = request.clone();
    for message in &mut normal.messages {
        let lines: Vec<&str> = message.content.lines().map(str::trim_end).collect();
        message.content = lines.join("\n").trim_end().to_owned();
    }
    let mut hash = Sha256::new();
    // Every part of a request can be written as JSON; a request that can't is the same as none.
    hash_value(&serde_json::to_value(&normal).unwrap_or_default(), &mut hash);
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Feeds a value to the hash, objects by sorted keys.
fn hash_value(value: &Value, hash: &mut Sha256) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            hash.update(b"{");
            for (name, value) in sorted {
                hash.update(Value::String(name.clone()).to_string().as_bytes());
                hash.update(b":");
                hash_value(value, hash);
                hash.update(b",");
            }
            hash.update(b"}");
        }
        Value::Array(items) => {
            hash.update(b"[");
            for item in items {
                hash_value(item, hash);
                hash.update(b",");
            }
            hash.update(b"]");
        }
        scalar => hash.update(scalar.to_string().as_bytes()),
    }
}

fn tail(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let skipped = line.chars().count().saturating_sub(80);
    line.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests;
