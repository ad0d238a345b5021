//! Against a server that answers as OpenAI and its look-alikes do: what is sent, what is read, what goes wrong.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::chat::{StopReason, ToolCall, ToolDefinition, Usage};
use crate::http::Key;

fn options() -> HttpOptions {
    HttpOptions { first_wait: Duration::from_millis(2), attempts: 3, ..HttpOptions::default() }
}

fn model(server: &MockServer) -> OpenAiModel {
    let key = Some(Key::for_test("TEST_KEY", "sk-secret"));
    OpenAiModel::new(&format!("{}/v1/", server.uri()), "gpt-x", key, None, options()).unwrap()
}

fn stream(chunks: &[Value]) -> ResponseTemplate {
    let body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    ResponseTemplate::new(200).set_body_raw(format!("{body}data: [DONE]\n\n"), "text/event-stream")
}

fn content(text: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })
}

fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn request() -> ChatRequest {
    ChatRequest::new(vec![Message::system("be brief"), Message::user("hello")])
}

async fn answering(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(response).mount(&server).await;
    server
}

/// The reply and the bodies that the server got.
async fn ask(server: &MockServer, request: &ChatRequest) -> (Result<ChatReply, LlmError>, Vec<Value>) {
    let reply = model(server).chat(request, &mut |_| {}).await;
    let received = server.received_requests().await.unwrap();
    (reply, received.iter().map(|request| request.body_json().unwrap()).collect())
}

#[tokio::test]
async fn text_streams_with_usage_and_the_key_goes_in_the_header() {
    let server = MockServer::start().await;
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 3 } });
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer sk-secret"))
        .respond_with(stream(&[content("Hel"), content("lo"), finish("stop"), usage]))
        .mount(&server)
        .await;
    let mut pieces = Vec::new();
    let reply = model(&server).chat(&request(), &mut |text| pieces.push(text.to_owned())).await.unwrap();
    assert_eq!(pieces, ["Hel", "lo"]);
    let usage = Usage { prompt_tokens: 11, completion_tokens: 3 };
    assert_eq!(
        reply,
        ChatReply { text: "Hello".into(), tool_calls: vec![], usage, stop: StopReason::End, likelihood: None }
    );
}

#[tokio::test]
async fn the_whole_request_is_written_out() {
    let server = answering(stream(&[finish("length")])).await;
    let call = ToolCall { id: "c1".into(), name: "list".into(), arguments: json!({ "q": 1 }) };
    let mut request = request();
    request.messages.push(Message { tool_calls: vec![call], ..Message::assistant("") });
    request.messages.push(Message::tool_result("c1", "none"));
    request.tools = vec![ToolDefinition {
        name: "list".into(),
        description: "Lists.".into(),
        parameters: json!({ "type": "object" }),
    }];
    request.json_schema =
        Some(json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }));
    request.stop = vec![";".into()];
    request.max_tokens = 7;
    let (reply, bodies) = ask(&server, &request).await;
    assert_eq!(reply.unwrap().stop, StopReason::Length);
    let expect = json!({
        "model": "gpt-x",
        "messages": [
            { "role": "system", "content": "be brief" },
            { "role": "user", "content": "hello" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "list", "arguments": "{\"q\":1}" } }
            ] },
            { "role": "tool", "content": "none", "tool_call_id": "c1" }
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "temperature": 0.0,
        "max_tokens": 7,
        "stop": [";"],
        "tools": [{ "type": "function", "function": {
            "name": "list", "description": "Lists.", "parameters": { "type": "object" }
        } }],
        "response_format": { "type": "json_schema", "json_schema": {
            "name": "reply", "strict": false,
            "schema": { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }
        } }
    });
    assert_eq!(bodies, [expect]);
}

#[tokio::test]
async fn tool_calls_are_put_together_from_pieces() {
    let call = |value: Value| json!({ "choices": [{ "delta": { "tool_calls": [value] } }] });
    let server = answering(stream(&[
        call(json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "search", "arguments": "" } })),
        call(json!({ "index": 0, "function": { "arguments": "{\"que" } })),
        call(json!({ "index": 1, "id": "c2", "function": { "name": "list", "arguments": "" } })),
        call(json!({ "index": 0, "function": { "arguments": "ry\": \"é\"}" } })),
        finish("tool_calls"),
    ]))
    .await;
    let (reply, _) = ask(&server, &request()).await;
    let reply = reply.unwrap();
    assert_eq!(reply.stop, StopReason::ToolCalls);
    assert_eq!(
        reply.tool_calls,
        [
            ToolCall { id: "c1".into(), name: "search".into(), arguments: json!({ "query": "é" }) },
            ToolCall { id: "c2".into(), name: "list".into(), arguments: json!({}) },
        ]
    );
}

#[tokio::test]
async fn tool_calls_of_servers_that_bend_the_protocol_are_understood() {
    // Without an index, whole, with an object for arguments, and "stop" as the reason.
    let call = |id: &str, name: &str, arguments: Value| {
        json!({ "choices": [{ "delta": { "tool_calls": [
            { "id": id, "function": { "name": name, "arguments": arguments } }
        ] } }] })
    };
    let server =
        answering(stream(&[call("a", "one", json!({ "x": 1 })), call("b", "two", json!("{broken")), finish("stop")]))
            .await;
    let reply = ask(&server, &request()).await.0.unwrap();
    assert_eq!(reply.stop, StopReason::ToolCalls);
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(calls, [("one", &json!({ "x": 1 })), ("two", &json!("{broken"))]);
}

#[tokio::test]
async fn a_reply_that_comes_whole_is_read_whole() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{ "message": { "role": "assistant", "content": "hi" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 1 }
    })))
    .await;
    let reply = ask(&server, &request()).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.prompt_tokens), ("hi", 5));
}

#[tokio::test]
async fn tokens_are_estimated_where_the_server_does_not_count() {
    let server = answering(stream(&[content("one two three"), finish("stop")])).await;
    let reply = ask(&server, &request()).await.0.unwrap();
    assert_eq!(reply.usage.completion_tokens, 3);
    assert!(reply.usage.prompt_tokens > 3);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_the_server_asks() {
    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after-ms", "120").set_body_json(json!({}));
    Mock::given(method("POST")).respond_with(limited).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST")).respond_with(stream(&[content("ok"), finish("stop")])).mount(&server).await;
    let begun = Instant::now();
    let (reply, bodies) = ask(&server, &request()).await;
    assert_eq!(reply.unwrap().text, "ok");
    assert_eq!(bodies.len(), 2);
    assert!(begun.elapsed() >= Duration::from_millis(120), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn failures_of_the_server_are_retried_and_then_told() {
    let server = answering(ResponseTemplate::new(503).set_body_raw("<html>busy</html>", "text/html")).await;
    let (reply, bodies) = ask(&server, &request()).await;
    assert_eq!(bodies.len(), 3);
    let error = reply.unwrap_err();
    assert_eq!(error.code(), "model_unavailable");
    let expect = format!(
        "the model endpoint `{}/v1/chat/completions` failed with HTTP 503 in all 3 attempts: Service Unavailable",
        server.uri()
    );
    assert_eq!(error.to_string(), expect);
}

#[tokio::test]
async fn a_bad_key_is_not_retried_and_not_shown() {
    let said = json!({ "error": { "message": "Incorrect API key provided: sk-secret." } });
    let server = answering(ResponseTemplate::new(401).set_body_json(said)).await;
    let (reply, bodies) = ask(&server, &request()).await;
    assert_eq!(bodies.len(), 1);
    let error = reply.unwrap_err();
    assert_eq!(error.code(), "model_auth");
    let shown = format!("{error} {error:?} {:?}", error.hints());
    assert!(!shown.contains("sk-secret") && shown.contains("TEST_KEY"), "{shown}");
}

#[tokio::test]
async fn garbage_is_a_bad_reply() {
    let html = ResponseTemplate::new(200).set_body_raw("<html>Sign in</html>", "text/html");
    let not_json = ResponseTemplate::new(200).set_body_raw("{oops", "application/json");
    let other_json = ResponseTemplate::new(200).set_body_json(json!({ "status": "fine" }));
    let broken_chunk = ResponseTemplate::new(200).set_body_raw("data: {\"choices\": [\n\n", "text/event-stream");
    for response in [html, not_json, other_json, broken_chunk] {
        let server = answering(response).await;
        assert_eq!(ask(&server, &request()).await.0.unwrap_err().code(), "model_bad_reply");
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_is_an_error() {
    let said = json!({ "error": { "message": "CUDA out of memory", "code": 500 } });
    let server = answering(stream(&[said])).await;
    let (reply, bodies) = ask(&server, &request()).await;
    assert!(reply.unwrap_err().to_string().contains("CUDA out of memory"));
    assert_eq!(bodies.len(), 3);
}

#[tokio::test]
async fn a_parameter_that_the_server_refuses_is_left_out_from_then_on() {
    let server = MockServer::start().await;
    let said =
        json!({ "error": { "message": "Unsupported value: 'temperature' does not support 0 with this model." } });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(400).set_body_json(said))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(stream(&[content("ok"), finish("stop")])).mount(&server).await;
    let model = model(&server);
    for _ in 0..2 {
        assert_eq!(model.chat(&request(), &mut |_| {}).await.unwrap().text, "ok");
    }
    let bodies: Vec<Value> =
        server.received_requests().await.unwrap().iter().map(|request| request.body_json().unwrap()).collect();
    let sent: Vec<bool> = bodies.iter().map(|body| body.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_without() {
    let server = MockServer::start().await;
    let said = json!({ "error": "json: unknown field \"response_format\"" });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(400).set_body_json(said))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(stream(&[content("{}"), finish("stop")])).mount(&server).await;
    let request = ChatRequest { json_schema: Some(json!({ "type": "object" })), ..request() };
    let (reply, bodies) = ask(&server, &request).await;
    assert_eq!(reply.unwrap().text, "{}");
    assert!(bodies[0].get("response_format").is_some() && bodies[1].get("response_format").is_none());
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_told_as_such() {
    let message = "This model's maximum context length is 8192 tokens.";
    let said = json!({ "error": { "message": message, "code": "context_length_exceeded" } });
    let server = answering(ResponseTemplate::new(400).set_body_json(said)).await;
    assert_eq!(ask(&server, &request()).await.0.unwrap_err().code(), "context_too_long");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = MockServer::start().await;
    let server = answering(ResponseTemplate::new(307).insert_header("location", elsewhere.uri().as_str())).await;
    assert_eq!(ask(&server, &request()).await.0.unwrap_err().code(), "model_bad_reply");
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_refusal_of_the_model_is_an_error_with_its_words() {
    let refusal = json!({ "choices": [{ "delta": { "refusal": "I can't help with that." } }] });
    let server = answering(stream(&[refusal, finish("stop")])).await;
    let error = ask(&server, &request()).await.0.unwrap_err();
    assert_eq!(error.code(), "model_refused");
    assert!(error.to_string().contains("I can't help with that."));
}

#[test]
fn a_schema_is_strict_only_if_it_keeps_all_the_rules() {
    let object = |closed: bool, required: Value| {
        json!({ "type": "object", "additionalProperties": !closed, "required": required,
                "properties": { "a": { "type": "array", "items": { "type": "string" } }, "b": { "type": "null" } } })
    };
    assert!(is_strict(&object(true, json!(["a", "b"]))));
    assert!(!is_strict(&object(true, json!(["a"]))));
    assert!(!is_strict(&object(false, json!(["a", "b"]))));
    assert!(!is_strict(&json!({ "type": "array", "items": object(true, json!([])) })));
}

#[test]
fn a_model_is_small_by_the_size_in_its_name() {
    for (name, small) in [
        ("qwen2.5-coder:7b", true),
        ("Llama-3.2-3B-Instruct", true),
        ("qwen2.5-coder-1.5b-instruct-q4_k_m", true),
        ("llama3.1:70b-instruct", false),
        ("gpt-4.1", false),
        ("deepseek-coder-33b", false),
    ] {
        assert_eq!(is_small(name), small, "{name}");
    }
}
