//! `periplus serve` at the other end of a real pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use testkit::hidden_character;

/// The server, ended with the value.
pub(crate) struct Served {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Served {
    pub(crate) fn over(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Sends a line, and reads the answer where the server is still there.
    pub(crate) fn try_ask(&mut self, line: &[u8]) -> Option<Value> {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).ok()?;
        let answer = self.lines.next()?.unwrap();
        assert_eq!(hidden_character(&answer), None, "{answer}");
        Some(serde_json::from_str(&answer).unwrap())
    }

    pub(crate) fn ask(&mut self, line: &[u8]) -> Value {
        self.try_ask(line).unwrap()
    }

    /// Begins a session, where the server has one to give.
    pub(crate) fn try_initialize(&mut self) -> Option<Value> {
        let client = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        self.try_ask(&request(1, "initialize", &params))
    }

    pub(crate) fn initialize(&mut self) -> Value {
        self.try_initialize().unwrap()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(&request(2, "tools/call", &json!({"name": tool, "arguments": arguments})))
    }
}

fn request(id: u32, method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().into_bytes()
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}
