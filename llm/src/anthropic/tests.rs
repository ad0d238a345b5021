//! Against a server that answers as Anthropic's does: what is sent, what is read, what goes wrong.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::chat::{StopReason, ToolCall, ToolDefinition, Usage};

fn model(server: &MockServer) -> AnthropicModel {
    let options = HttpOptions { first_wait: Duration::from_millis(2), attempts: 3, ..HttpOptions::default() };
    AnthropicModel::new(&server.uri(), "claude-x", Key::for_test("TEST_KEY", "sk-ant"), None, options).unwrap()
}

fn stream(events: &[Value]) -> ResponseTemplate {
    let body: String =
        events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect();
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

fn start() -> Value {
    let usage = json!({ "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1 });
    json!({ "type": "message_start", "message": { "usage": usage } })
}

fn text(index: u64, text: &str) -> [Value; 2] {
    [
        json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": text } }),
    ]
}

fn tool(index: u64, name: &str, pieces: &[&str]) -> Vec<Value> {
    let block = json!({ "type": "tool_use", "id": format!("t{index}"), "name": name, "input": {} });
    let mut events = vec![json!({ "type": "content_block_start", "index": index, "content_block": block })];
    events.extend(pieces.iter().map(|piece| {
        let delta = json!({ "type": "input_json_delta", "partial_json": piece });
        json!({ "type": "content_block_delta", "index": index, "delta": delta })
    }));
    events.push(json!({ "type": "content_block_stop", "index": index }));
    events
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 7 } }),
        json!({ "type": "message_stop" }),
    ]
}

async fn answering(events: Vec<Value>) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/messages"))
        .and(header("x-api-key", "sk-ant"))
        .and(header("anthropic-version", "2023-06-01"))
        .respond_with(stream(&events))
        .mount(&server)
        .await;
    server
}

async fn bodies(server: &MockServer) -> Vec<Value> {
    server.received_requests().await.unwrap().iter().map(|request| request.body_json().unwrap()).collect()
}

#[tokio::test]
async fn text_streams_and_cached_tokens_count() {
    let mut events = vec![start(), json!({ "type": "ping" })];
    events.extend(text(0, "Hello"));
    events.extend(end("end_turn"));
    let server = answering(events).await;
    let mut pieces = Vec::new();
    let request = ChatRequest::new(vec![Message::system("be brief"), Message::user("hi")]);
    let reply = model(&server).chat(&request, &mut |text| pieces.push(text.to_owned())).await.unwrap();
    assert_eq!(pieces, ["Hello"]);
    let usage = Usage { prompt_tokens: 100, completion_tokens: 7 };
    assert_eq!(
        reply,
        ChatReply { text: "Hello".into(), tool_calls: vec![], usage, stop: StopReason::End, likelihood: None }
    );
    let expect = json!({
        "model": "claude-x", "max_tokens": 1024, "stream": true, "temperature": 0.0,
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }],
        "system": [{ "type": "text", "text": "be brief", "cache_control": { "type": "ephemeral" } }]
    });
    assert_eq!(bodies(&server).await, [expect]);
}

#[tokio::test]
async fn tool_calls_are_put_together_and_their_results_go_back_in_one_turn() {
    let mut events = vec![start()];
    events.extend(text(0, "Let me look."));
    events.extend(tool(1, "search", &["{\"q\"", ": \"é\"}"]));
    events.extend(tool(2, "list", &[]));
    events.extend(end("tool_use"));
    let server = answering(events).await;
    let definition = |name: &str| ToolDefinition {
        name: name.into(),
        description: "Does.".into(),
        parameters: json!({ "type": "object" }),
    };
    let mut request = ChatRequest::new(vec![Message::user("hi")]);
    request.tools = vec![definition("search"), definition("list")];
    let reply = model(&server).chat(&request, &mut |_| {}).await.unwrap();
    assert_eq!(reply.stop, StopReason::ToolCalls);
    assert_eq!(
        reply.tool_calls,
        [
            ToolCall { id: "t1".into(), name: "search".into(), arguments: json!({ "q": "é" }) },
            ToolCall { id: "t2".into(), name: "list".into(), arguments: json!({}) },
        ]
    );

    request.messages.push(Message::from_reply(&reply));
    request.messages.push(Message::tool_result("t1", "one"));
    request.messages.push(Message::tool_result("t2", "two"));
    model(&server).chat(&request, &mut |_| {}).await.unwrap();
    let expect = json!([
        { "role": "user", "content": [{ "type": "text", "text": "hi" }] },
        { "role": "assistant", "content": [
            { "type": "text", "text": "Let me look." },
            { "type": "tool_use", "id": "t1", "name": "search", "input": { "q": "é" } },
            { "type": "tool_use", "id": "t2", "name": "list", "input": {} }
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": "one" },
            { "type": "tool_result", "tool_use_id": "t2", "content": "two" }
        ] }
    ]);
    assert_eq!(bodies(&server).await[1]["messages"], expect);
}

#[tokio::test]
async fn a_json_schema_is_a_tool_that_must_be_called_and_its_arguments_are_the_text() {
    let mut events = vec![start()];
    events.extend(text(0, "Thinking aloud."));
    events.extend(tool(1, "reply", &["{\"a\":", "1}"]));
    events.extend(end("tool_use"));
    let server = answering(events).await;
    let mut request = ChatRequest::new(vec![Message::user("hi")]);
    request.json_schema = Some(json!({ "type": "object" }));
    let mut shown = String::new();
    let reply = model(&server).chat(&request, &mut |text| shown.push_str(text)).await.unwrap();
    assert_eq!((reply.text.as_str(), shown.as_str()), ("{\"a\":1}", "{\"a\":1}"));
    assert_eq!((reply.tool_calls.len(), reply.stop), (0, StopReason::End));
    let body = &bodies(&server).await[0];
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "reply" }));
    assert_eq!(body["tools"][0]["input_schema"], json!({ "type": "object" }));
}

#[tokio::test]
async fn an_overload_inside_the_stream_is_retried_and_then_told() {
    let server =
        answering(vec![json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })])
            .await;
    let request = ChatRequest::new(vec![Message::user("hi")]);
    let error = model(&server).chat(&request, &mut |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "model_unavailable");
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn a_stream_that_ends_early_is_retried_while_nothing_was_shown() {
    let server = answering(vec![start()]).await;
    let request = ChatRequest::new(vec![Message::user("hi")]);
    assert_eq!(model(&server).chat(&request, &mut |_| {}).await.unwrap_err().code(), "model_bad_reply");
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn reasons_to_stop_are_translated() {
    for (reason, expect) in [
        ("stop_sequence", Ok(StopReason::End)),
        ("max_tokens", Ok(StopReason::Length)),
        ("pause_turn", Ok(StopReason::Other("pause_turn".into()))),
        ("refusal", Err("model_refused")),
    ] {
        let mut events = vec![start()];
        events.extend(end(reason));
        let server = answering(events).await;
        let request = ChatRequest::new(vec![Message::user("hi")]);
        let reply = model(&server).chat(&request, &mut |_| {}).await;
        assert_eq!(reply.map(|reply| reply.stop).map_err(|error| error.code()), expect, "{reason}");
    }
}

#[tokio::test]
async fn a_model_without_temperature_is_asked_without() {
    let server = MockServer::start().await;
    let error = json!({ "type": "invalid_request_error", "message": "`temperature` is deprecated for this model." });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(400).set_body_json(json!({ "type": "error", "error": error })))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let mut events = vec![start()];
    events.extend(end("end_turn"));
    Mock::given(method("POST")).respond_with(stream(&events)).mount(&server).await;
    model(&server).chat(&ChatRequest::new(vec![Message::user("hi")]), &mut |_| {}).await.unwrap();
    let sent: Vec<bool> = bodies(&server).await.iter().map(|body| body.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false]);
}
