//! The protocol's lines over a pipe: one JSON message each, whoever writes them.
//!
//! The crate's own transport ignores what it can't parse, and ends where a message comes before `initialize` that isn't
//! a request; a client that made one mistake then waits for an answer that never comes, or is alone. Here every line that
//! is no message is answered with what is wrong with it, and the session goes on.
//!
//! Invariants: no more of a line is kept than [`LONGEST_LINE`]; a notification or a response is never answered; what a
//! dropped future had begun to write is finished before anything else is written.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Bytes of a line: a question and a statement are a few thousand. A longer one is read away and answered.
pub(super) const LONGEST_LINE: usize = 4 << 20;

/// The methods we serve, whose parameters a client can get wrong.
const SERVED: [&str; 5] = ["initialize", "ping", "server/discover", "tools/call", "tools/list"];

/// A connection to one client.
pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Set from the moment a line has become too long to its end.
    is_too_long: bool,
    has_ended: bool,
    /// Whether a request has come that begins a conversation. Before one, there is nothing to notify of.
    has_begun: bool,
    write: Arc<Mutex<Writer<W>>>,
    /// An answer of ours that is not with the writer yet.
    answer: Option<Value>,
    owes: bool,
}

/// What goes out, in order.
struct Writer<W> {
    out: W,
    unwritten: Vec<u8>,
    is_closed: bool,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    fn add(&mut self, message: &impl serde::Serialize) -> io::Result<()> {
        if self.is_closed {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the connection is closed"));
        }
        serde_json::to_writer(&mut self.unwritten, message)?;
        self.unwritten.push(b'\n');
        Ok(())
    }

    /// Dropped halfway, it goes on where it was when it is called again.
    async fn write_out(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            let written = self.out.write(&self.unwritten).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.unwritten.drain(..written);
        }
        self.out.flush().await
    }
}

/// What a line is.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing to answer: a notification that nobody knows, a response to nothing.
    PassedOver,
    Answered(Value),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            is_too_long: false,
            has_ended: false,
            has_begun: false,
            write: Arc::new(Mutex::new(Writer { out: write, unwritten: Vec::new(), is_closed: false })),
            answer: None,
            owes: false,
        }
    }

    /// Reads up to the end of a line; false at the end of the input. Dropped halfway, it goes on where it was.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                self.has_ended = true;
                return Ok(!self.line.is_empty() || self.is_too_long);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if self.line.len() + taken > LONGEST_LINE + 1 {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The line that was read, as what it is.
    fn take_line(&mut self) -> Read {
        if std::mem::take(&mut self.is_too_long) {
            let reason = format!("the line is longer than {LONGEST_LINE} bytes");
            return Read::Answered(refusal(ErrorCode::INVALID_REQUEST, &reason, Value::Null));
        }
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if text.is_empty() {
            return Read::PassedOver;
        }
        let read = match serde_json::from_slice(text) {
            Ok(value) => message(value),
            Err(error) => {
                Read::Answered(refusal(ErrorCode::PARSE_ERROR, &format!("this is no JSON: {error}"), Value::Null))
            }
        };
        match read {
            Read::Message(message) if !self.has_begun => match *message {
                JsonRpcMessage::Request(request) => {
                    self.has_begun = begins(&request.request);
                    Read::Message(Box::new(JsonRpcMessage::Request(request)))
                }
                _ => Read::PassedOver,
            },
            read => read,
        }
    }
}

/// Whether the service takes this request for the beginning of a conversation.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

fn message(value: Value) -> Read {
    let refused = |code: ErrorCode, reason: &str, id: &Value| Read::Answered(refusal(code, reason, id.clone()));
    let Some(fields) = value.as_object() else {
        let reason = "a message is one JSON object on a line; batches are not taken";
        return refused(ErrorCode::INVALID_REQUEST, reason, &Value::Null);
    };
    let id = fields.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned().unwrap_or_default();
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(ErrorCode::INVALID_REQUEST, "`jsonrpc` must be \"2.0\"", &id);
    }
    let method = match fields.get("method") {
        Some(Value::String(method)) => Some(method.clone()),
        Some(_) => return refused(ErrorCode::INVALID_REQUEST, "`method` must be a string", &id),
        None => None,
    };
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    match (&method, fields.contains_key("id"), is_answer) {
        (None, _, false) => return refused(ErrorCode::INVALID_REQUEST, "`method` is missing", &id),
        (Some(_), _, true) => {
            return refused(ErrorCode::INVALID_REQUEST, "a message is a request or a response, not both", &id);
        }
        (Some(_), true, false) if id.is_null() => {
            return refused(ErrorCode::INVALID_REQUEST, "`id` must be a string or a whole number", &id);
        }
        _ => {}
    }
    let wrong_parameters = || "the parameters are not what the protocol says for this method";
    match (serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(value), method) {
        (Ok(JsonRpcMessage::Request(request)), Some(method)) => match request.request {
            // What has a known method and not its parameters is taken for a method of somebody else's.
            ClientRequest::CustomRequest(_) if SERVED.contains(&method.as_str()) => {
                refused(ErrorCode::INVALID_PARAMS, wrong_parameters(), &id)
            }
            _ => Read::Message(Box::new(JsonRpcMessage::Request(request))),
        },
        (Ok(message), _) => Read::Message(Box::new(message)),
        (Err(_), Some(_)) if !id.is_null() => refused(ErrorCode::INVALID_PARAMS, wrong_parameters(), &id),
        (Err(_), _) => Read::PassedOver,
    }
}

/// An error of the protocol; `id` is null where the message has none that can be read.
fn refusal(code: ErrorCode, reason: &str, id: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": shown::one_line(reason)}})
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut write = write.lock().await;
            write.add(&item)?;
            write.write_out().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.answer.is_some() || self.owes {
                let mut write = self.write.lock().await;
                if let Some(answer) = self.answer.take() {
                    write.add(&answer).ok()?;
                    self.owes = true;
                }
                write.write_out().await.ok()?;
                self.owes = false;
            }
            if self.has_ended {
                return None;
            }
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::warn!(%error, "the client's messages can't be read");
                    return None;
                }
            }
            match self.take_line() {
                Read::Message(message) => return Some(*message),
                Read::Answered(answer) => self.answer = Some(answer),
                Read::PassedOver => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let mut write = self.write.lock().await;
        write.is_closed = true;
        write.out.shutdown().await
    }
}

#[cfg(test)]
mod tests;
