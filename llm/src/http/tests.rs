//! Over a real socket: a server that wiremock can't play, one that is slow, cut short or silent.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::chat::{ChatModel, ChatRequest, Message};
use crate::openai::OpenAiModel;

/// Time limits for tests.
pub(crate) fn quick() -> HttpOptions {
    HttpOptions {
        connect_timeout: Duration::from_secs(2),
        read_timeout: Duration::from_millis(300),
        total_timeout: Duration::from_secs(20),
        attempts: 3,
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_secs(2),
    }
}

/// What a raw server does with one connection after it has read the request.
#[derive(Clone)]
enum Act {
    Send(Vec<u8>),
    /// Nothing, for long.
    Silence,
}

/// Serves every connection the same; gives the base URL.
async fn raw_server(acts: Vec<Act>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let acts = acts.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 64 * 1024];
                let _ = socket.read(&mut request).await;
                for act in acts {
                    match act {
                        Act::Send(bytes) => {
                            let _ = socket.write_all(&bytes).await;
                            let _ = socket.flush().await;
                            // Lets the piece arrive on its own.
                            tokio::time::sleep(Duration::from_millis(1)).await;
                        }
                        Act::Silence => tokio::time::sleep(Duration::from_secs(30)).await,
                    }
                }
            });
        }
    });
    format!("http://{address}/v1")
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    framed
}

fn piece_of(text: &str) -> String {
    format!("data: {}\r\n\r\n", json!({ "choices": [{ "delta": { "content": text } }] }))
}

async fn ask(base_url: &str) -> (Result<crate::ChatReply, LlmError>, Vec<String>) {
    let model = OpenAiModel::new(base_url, "m", None, None, quick()).unwrap();
    let mut pieces = Vec::new();
    let request = ChatRequest::new(vec![Message::user("q")]);
    let reply = model.chat(&request, &mut |text| pieces.push(text.to_owned())).await;
    (reply, pieces)
}

#[tokio::test]
async fn a_stream_cut_at_every_few_bytes_reads_the_same() {
    let body = format!("{}{}data: [DONE]\n\n", piece_of("größer "), piece_of("als 🙂\n"));
    for size in [1, 3, 7, 64] {
        let mut acts = vec![Act::Send(HEAD.into())];
        acts.extend(body.as_bytes().chunks(size).map(|bytes| Act::Send(chunk(bytes))));
        acts.push(Act::Send(b"0\r\n\r\n".to_vec()));
        let (reply, pieces) = ask(&raw_server(acts).await).await;
        assert_eq!(reply.unwrap().text, "größer als 🙂\n", "pieces of {size} bytes");
        assert_eq!(pieces, ["größer ", "als 🙂\n"]);
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_after_text_is_an_error_and_is_not_repeated() {
    let acts =
        vec![Act::Send(HEAD.into()), Act::Send(chunk(piece_of("half").as_bytes())), Act::Send(b"0\r\n\r\n".to_vec())];
    let (reply, pieces) = ask(&raw_server(acts).await).await;
    assert_eq!(reply.unwrap_err().code(), "model_bad_reply");
    assert_eq!(pieces, ["half"]);
}

#[tokio::test]
async fn a_lost_connection_after_text_is_not_repeated() {
    let acts = vec![Act::Send(HEAD.into()), Act::Send(chunk(piece_of("half").as_bytes()))];
    let (reply, pieces) = ask(&raw_server(acts).await).await;
    assert_eq!(reply.unwrap_err().code(), "model_unreachable");
    assert_eq!(pieces, ["half"]);
}

#[tokio::test]
async fn silence_ends_in_a_timeout_before_and_within_the_reply() {
    for acts in [
        vec![Act::Silence],
        vec![Act::Send(HEAD.into()), Act::Silence],
        vec![Act::Send(HEAD.into()), Act::Send(chunk(piece_of("x").as_bytes())), Act::Silence],
    ] {
        let (reply, _) = ask(&raw_server(acts).await).await;
        assert_eq!(reply.unwrap_err().code(), "model_timeout");
    }
}

#[tokio::test]
async fn bytes_that_are_no_http_are_reported_as_such() {
    let (reply, _) = ask(&raw_server(vec![Act::Send(b"\x16\x03\x01 not http at all\r\n\r\n".to_vec())]).await).await;
    let error = reply.unwrap_err();
    assert_eq!(error.code(), "model_unreachable");
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_named() {
    // Bound and dropped again: nothing listens there.
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (reply, _) = ask(&format!("http://{address}/v1")).await;
    let error = reply.unwrap_err();
    assert_eq!(error.code(), "model_unreachable");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(error.hints()[0].contains("start the local model server"), "{:?}", error.hints());
}

#[test]
fn a_url_loses_user_password_query_and_fragment() {
    for (url, expect) in [
        ("https://me:secret@example.com:8443/v1/chat?api-key=secret#secret", "https://example.com:8443/v1/chat"),
        ("secret", "(not a URL)"),
    ] {
        assert_eq!(redacted(url), expect);
    }
}

#[test]
fn a_key_shows_nothing_of_itself() {
    let endpoint = Endpoint::new(
        "https://me:secret1@example.com/v1?k=secret2",
        "/x",
        "m",
        Some((Key::for_test("MY_KEY", "secret3"), KeyHeader::Bearer)),
        quick(),
    )
    .unwrap();
    let shown = format!("{endpoint:?} {:?} {:?} {}", endpoint.key, endpoint.headers, endpoint.shown);
    assert!(!shown.contains("secret"), "{shown}");
    assert!(shown.contains("MY_KEY"), "{shown}");
    let failure = endpoint.provider_error(400, &json!({ "error": { "message": "bad key secret3 given" } }), None);
    assert_eq!(failure.into_error().to_string(), "the model `m` refuses the request: bad key *** given");
}

#[test]
fn a_key_with_a_line_break_is_refused_without_showing_it() {
    let key = Key::for_test("MY_KEY", "abc\ndef");
    let error = Endpoint::new("https://example.com", "/x", "m", Some((key, KeyHeader::ApiKey)), quick()).unwrap_err();
    assert_eq!(error.code(), "model_config");
    assert!(!error.to_string().contains("abc"), "{error}");
}

#[test]
fn errors_of_providers_are_told_apart() {
    let endpoint = Endpoint::new("https://example.com", "/x", "m", None, quick()).unwrap();
    for (status, body, code, again) in [
        (401, json!({ "error": { "message": "no" } }), "model_auth", false),
        (403, json!({ "error": { "message": "no" } }), "model_auth", false),
        (404, json!({ "error": "model \"m\" not found" }), "model_not_found", false),
        (429, json!({ "error": { "code": "insufficient_quota" } }), "model_refused", false),
        (429, json!({ "error": { "type": "tokens", "code": "rate_limit_exceeded" } }), "rate_limited", true),
        (500, json!("oops"), "model_unavailable", true),
        (529, json!({ "type": "error", "error": { "type": "overloaded_error" } }), "model_unavailable", true),
        (500, json!({ "error": { "type": "rate_limit_error" } }), "rate_limited", true),
        (500, json!({ "error": { "type": "invalid_request_error" } }), "model_refused", false),
        (302, json!("Found"), "model_bad_reply", false),
        (418, json!("teapot"), "model_refused", false),
    ] {
        let failure = endpoint.provider_error(status, &body, None);
        assert_eq!(matches!(failure, Failure::Again { .. }), again, "{status} {body}");
        assert_eq!(failure.into_error().code(), code, "{status} {body}");
    }
}
