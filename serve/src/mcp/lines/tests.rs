//! A raw pipe on the other end: lines that a client of the protocol would never send.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use catalog::Store;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::LONGEST_LINE;
use crate::served::Served;
use crate::{Context, Options, Serving};

/// A served connection, seen as bytes.
struct Pipe {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    served: tokio::task::JoinHandle<Result<(), crate::ServeError>>,
}

impl Pipe {
    fn new() -> Self {
        let context =
            Context::new(Store::in_memory().unwrap(), None, llm::static_embedder(), Vec::new(), Options::default());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let served =
            tokio::spawn(super::super::serve(Arc::new(Served::new(Serving::new(context))), tokio::io::split(ours)));
        let (read, write) = tokio::io::split(theirs);
        Self { read: BufReader::new(read), write, served }
    }

    async fn begun() -> Self {
        let mut pipe = Self::new();
        pipe.initialize("2025-06-18").await;
        pipe
    }

    async fn initialize(&mut self, version: &str) {
        let answer = self.ask("initialize", initialization(version)).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "periplus", "{answer}");
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    async fn send(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn answer(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(Duration::from_secs(20), self.read.read_line(&mut line));
        assert!(read.await.expect("no answer").unwrap() > 0, "the server hung up");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.send(request.to_string().as_bytes()).await;
        let answer = self.answer().await;
        assert_eq!(answer["id"], method, "{answer}");
        answer
    }

    async fn lives(&mut self) {
        let tools = self.ask("tools/list", json!({})).await;
        assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(7), "{tools}");
    }
}

fn initialization(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}})
}

/// What is no message, with the code it is answered with.
fn broken_lines() -> Vec<(Vec<u8>, i64)> {
    let deep = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat().into_bytes();
    vec![
        (b"{".to_vec(), -32700),
        (b"hello".to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping""#.to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#.to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":"\udc00\ud800","method":"ping"}"#.to_vec(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(), -32700),
        (b"\x00\x01\x02".to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping"} trailing"#.to_vec(), -32700),
        (deep(100_000), -32700),
        (deep(50), -32600),
        (b"[]".to_vec(), -32600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_vec(), -32600),
        (b"17".to_vec(), -32600),
        (b"null".to_vec(), -32600),
        (b"\"ping\"".to_vec(), -32600),
        (b"{}".to_vec(), -32600),
        (br#"{"id":1,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#.to_vec(), -32602),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#.to_vec(), -32602),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_vec(), -32602),
        (br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#.to_vec(), -32602),
    ]
}

#[tokio::test]
async fn every_broken_line_is_answered_and_the_session_lives() {
    let mut pipe = Pipe::begun().await;
    for (line, code) in broken_lines() {
        pipe.send(&line).await;
        let answer = pipe.answer().await;
        let said = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!(answer["error"]["code"], code, "{said}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
        if code == -32700 {
            assert_eq!(answer["id"], Value::Null, "{said}");
        }
        pipe.lives().await;
    }
}

#[tokio::test]
async fn a_broken_line_before_the_beginning_is_answered_too() {
    let mut pipe = Pipe::new();
    for (line, code) in broken_lines() {
        pipe.send(&line).await;
        assert_eq!(pipe.answer().await["error"]["code"], code);
    }
    pipe.initialize("2025-06-18").await;
    pipe.lives().await;
}

#[tokio::test]
async fn an_endless_line_is_read_away_in_bounded_memory() {
    for begun in [false, true] {
        let mut pipe = if begun { Pipe::begun().await } else { Pipe::new() };
        let piece = vec![b'a'; 1 << 20];
        for _ in 0..20 {
            pipe.write.write_all(&piece).await.unwrap();
        }
        pipe.send(b"").await;
        let answer = pipe.answer().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(&LONGEST_LINE.to_string()));
        if !begun {
            pipe.initialize("2025-06-18").await;
        }
        pipe.lives().await;
    }
}

#[tokio::test]
async fn a_line_of_the_greatest_length_is_taken() {
    let mut pipe = Pipe::begun().await;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let padding = " ".repeat(LONGEST_LINE - request.len());
    pipe.send(format!("{request}{padding}").as_bytes()).await;
    assert_eq!(pipe.answer().await["id"], 1);
    pipe.send(format!("{request}{padding} ").as_bytes()).await;
    assert_eq!(pipe.answer().await["error"]["code"], -32600);
}

#[tokio::test]
async fn what_comes_before_the_beginning_ends_nothing() {
    let mut pipe = Pipe::new();
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/nobody"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        "",
        "   ",
    ] {
        pipe.send(line.as_bytes()).await;
    }
    assert_eq!(pipe.ask("ping", json!({})).await["result"], json!({}));
    assert!(pipe.ask("tools/list", json!({})).await["error"].is_object());
    assert!(pipe.ask("of/nobody", json!({})).await["error"].is_object());
    pipe.initialize("2025-06-18").await;
    pipe.lives().await;
}

#[tokio::test]
async fn unknown_methods_second_beginnings_and_other_versions_end_nothing() {
    for version in ["2024-11-05", "1999-01-01", "2026-07-28", "not a version", ""] {
        let mut pipe = Pipe::new();
        pipe.initialize(version).await;
        assert_eq!(pipe.ask("of/nobody", json!({})).await["error"]["code"], -32601);
        assert_eq!(pipe.ask("resources/read", json!({"uri": "x"})).await["error"]["code"], -32601);
        pipe.ask("initialize", initialization("2025-06-18")).await;
        pipe.send(br#"{"jsonrpc":"2.0","id":"nobody asked","result":{"anything":1}}"#).await;
        pipe.send(br#"{"jsonrpc":"2.0","method":"notifications/of/nobody","params":[1]}"#).await;
        pipe.send(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#).await;
        pipe.lives().await;
    }
}

#[tokio::test]
async fn a_byte_order_mark_and_windows_line_ends_are_no_mistakes() {
    let mut pipe = Pipe::begun().await;
    pipe.send(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\r").await;
    assert_eq!(pipe.answer().await["id"], 5);
}

#[tokio::test]
async fn hanging_up_halfway_through_a_line_ends_the_service() {
    let mut pipe = Pipe::begun().await;
    pipe.write.write_all(br#"{"jsonrpc":"2.0","id":6,"#).await.unwrap();
    pipe.write.shutdown().await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(20), pipe.served).await;
    assert!(ended.expect("the service goes on").unwrap().is_ok());
}

#[tokio::test]
async fn answers_are_whole_lines_while_others_are_written() {
    let mut pipe = Pipe::begun().await;
    let mut wanted = 0;
    for number in 0..200 {
        pipe.send(json!({"jsonrpc": "2.0", "id": number, "method": "tools/list"}).to_string().as_bytes()).await;
        pipe.send(b"broken").await;
        wanted += 2;
        // The pipe is smaller than what comes back.
        if number % 10 == 9 {
            for _ in 0..wanted {
                let answer = pipe.answer().await;
                assert!(answer["result"]["tools"].is_array() || answer["error"]["code"] == -32700, "{answer}");
            }
            wanted = 0;
        }
    }
}
