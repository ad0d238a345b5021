//! Recording and replaying, with a scripted model in the place of a live one.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::chat::{Message, ModelInfo, ToolDefinition};
use crate::scripted::Scripted;

fn request(question: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::system("Answer."), Message::user(question)])
}

#[tokio::test]
async fn what_was_recorded_is_replayed_with_the_model_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let model = Scripted::with_texts(["one", "two"]).tool_call("list", json!({ "k": 5 }));
    let info = model.info().clone();
    let recorder = Recorder::new(Box::new(model), &path).unwrap();
    let mut live = Vec::new();
    for question in ["a", "b", "c"] {
        live.push(recorder.chat(&request(question), &mut |_| {}).await.unwrap());
    }
    drop(recorder);

    let replay = Replay::open(&path).unwrap();
    assert_eq!(replay.info(), &info);
    for (question, expect) in ["c", "a", "b"].iter().zip([&live[2], &live[0], &live[1]]) {
        let mut shown = String::new();
        let reply = replay.chat(&request(question), &mut |text| shown.push_str(text)).await.unwrap();
        assert_eq!(&reply, expect);
        assert_eq!(shown, expect.text);
    }
}

#[tokio::test]
async fn a_cassette_is_continued_and_what_it_holds_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    for (question, reply, expected) in [("q", "first", "first"), ("q", "second", "first"), ("r", "third", "third")] {
        let recorder = Recorder::new(Box::new(Scripted::with_texts([reply])), &path).unwrap();
        assert_eq!(recorder.chat(&request(question), &mut |_| {}).await.unwrap().text, expected);
        drop(recorder);
        // An interruption in the middle of a line costs that line.
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, b"{\"key\":").unwrap();
    }
    let other = ModelInfo { name: "other".into(), ..Scripted::new().info().clone() };
    let error = Recorder::new(Box::new(Scripted::new().with_info(other)), &path).err().unwrap();
    assert!(error.to_string().contains("not of `other`"), "{error}");
}

#[tokio::test]
async fn repeats_are_given_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let recorder = Recorder::new(Box::new(Scripted::with_texts(["first", "second"])), &path).unwrap();
    for _ in 0..2 {
        recorder.chat(&request("q"), &mut |_| {}).await.unwrap();
    }
    let replay = Replay::open(&path).unwrap();
    let mut texts = Vec::new();
    for _ in 0..3 {
        texts.push(replay.chat(&request("q"), &mut |_| {}).await.unwrap().text);
    }
    assert_eq!(texts, ["first", "second", "second"]);
}

#[tokio::test]
async fn a_request_that_was_not_recorded_is_named_by_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    drop(Recorder::new(Box::new(Scripted::new()), &path).unwrap());
    let error = Replay::open(&path).unwrap().chat(&request("how many\nships?"), &mut |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "model_not_recorded");
    assert!(error.to_string().ends_with("which ends in `how many ships?`"), "{error}");
}

#[test]
fn a_damaged_cassette_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    drop(Recorder::new(Box::new(Scripted::new()), &path).unwrap());
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("\n{\"key\":\"x\"}\n");
    std::fs::write(&path, text).unwrap();
    let error = Replay::open(&path).err().unwrap().to_string();
    assert!(error.contains("line 3"), "{error}");
}

#[test]
fn the_key_ignores_what_no_model_reads_and_notices_what_it_does() {
    let tool = |parameters| ToolDefinition { name: "t".into(), description: "d".into(), parameters };
    let base = || ChatRequest { tools: vec![tool(json!({ "a": 1, "b": 2 }))], ..request("line one\nline two") };
    let same = [
        ChatRequest { tools: vec![tool(json!({ "b": 2, "a": 1 }))], ..base() },
        ChatRequest { messages: request("line one  \r\nline two\n").messages, ..base() },
    ];
    for request in same {
        assert_eq!(request_key(&request), request_key(&base()));
    }
    let different = [
        ChatRequest { messages: request("line one\n line two").messages, ..base() },
        ChatRequest { temperature: 0.5, ..base() },
        ChatRequest { temperature: 0.5, seed: 1, ..base() },
        ChatRequest { max_tokens: 9, ..base() },
        ChatRequest { tools: vec![tool(json!({ "a": 1, "b": 3 }))], ..base() },
    ];
    for request in different {
        assert_ne!(request_key(&request), request_key(&base()));
    }
}
