//! Questions to the model: at once, step by step, over MCP, declined.

use std::sync::Arc;

use agent::AgentOptions;
use async_trait::async_trait;
use llm::{ChatModel, ChatReply, ChatRequest, LlmError, ModelInfo, OnText, StopReason, Usage};
use serde_json::{Value, json};

use crate::http::tests::{Running, bearer};
use crate::mcp::tests::SCRIPT;
use crate::{Asking, Options};

/// Writes the same statement, whatever it is asked.
struct Writes(ModelInfo, &'static str);

#[async_trait]
impl ChatModel for Writes {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    async fn chat(&self, _request: &ChatRequest, _on_text: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        let text = format!("```sql\n{}\n```", self.1);
        Ok(ChatReply {
            text,
            tool_calls: Vec::new(),
            usage: Usage { prompt_tokens: 10, completion_tokens: 5 },
            stop: StopReason::End,
            likelihood: None,
        })
    }
}

fn opened(sql: &'static str) -> Result<Box<dyn ChatModel>, LlmError> {
    let info =
        ModelInfo { name: "writes".into(), small: true, tools: false, json_schema: false, context_tokens: 8_000 };
    Ok(Box::new(Writes(info, sql)))
}

pub(crate) fn answering(sql: &'static str) -> Options {
    let asking = Asking::remotely(move || opened(sql), AgentOptions { min_confidence: 0.0, ..AgentOptions::default() });
    Options { asking: Some(Arc::new(asking)), ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_with_its_statement() {
    let running = Running::with(answering("SELECT count(*) AS n FROM orders"), SCRIPT, |_| {}).await;
    assert_eq!(running.got("/caller").await["asks"], true);
    let question = json!({"question": "How many orders are there?"});
    let answer = running.posted("/ask", question.clone()).await;
    let document = answer.json();
    assert_eq!((answer.status, &document["status"]), (200, &json!("answered")), "{document}");
    assert_eq!((&document["rows"], &document["sql"]), (&json!([[2]]), &json!("SELECT count(*) AS n FROM orders")));
    assert!(document["confidence"].is_number() && document["tables"][0] == "orders", "{document}");
    let steps = running.send("POST", "/ask", "accept: text/event-stream\r\n", Some(&question)).await;
    assert!(steps.head.contains("text/event-stream"), "{}", steps.head);
    let events: Vec<(&str, Value)> = steps
        .body
        .split("\n\n")
        .filter_map(|event| {
            let name = event.lines().find_map(|line| line.split("event: ").nth(1))?;
            let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
            Some((name, serde_json::from_str(data).unwrap()))
        })
        .collect();
    let names: Vec<&str> = events.iter().map(|(name, _)| *name).collect();
    assert!(names.len() > 4 && names[..names.len() - 1].iter().all(|name| *name == "step"), "{names:?}");
    assert!(events.iter().any(|(_, step)| step["action"] == "asked_model"), "{}", steps.body);
    assert_eq!((names.last(), &events.last().unwrap().1["rows"]), (Some(&"answer"), &json!([[2]])));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_shown_is_not_answered_with() {
    let running = Running::with(answering("SELECT email FROM customers"), SCRIPT, |_| {}).await;
    let answer = running.posted("/ask", json!({"question": "Which e-mail addresses do customers have?"})).await.json();
    assert_eq!((&answer["status"], answer.get("rows")), (&json!("declined"), None), "{answer}");
    assert!(!answer.to_string().contains("example.org"), "{answer}");
    for (body, status, code) in [
        (json!({"question": " "}), 400, "invalid_arguments"),
        (json!({"question": "x".repeat(30_000)}), 413, "text_too_long"),
        (json!({"question": "How many?", "source": "x"}), 404, "unknown_source"),
    ] {
        let wrong = running.posted("/ask", body.clone()).await;
        assert_eq!((wrong.status, &wrong.json()["code"]), (status, &json!(code)));
        let told = running.send("POST", "/ask", "accept: text/event-stream\r\n", Some(&body)).await;
        assert!(
            told.body.starts_with("event: problem\ndata: ") || told.body.contains("event: problem"),
            "{}",
            told.body
        );
        assert!(told.body.contains(code), "{}", told.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_offered_a_model_that_is_larger_than_this_machine() {
    let local = Asking::locally(|| opened("SELECT 1"), AgentOptions::default());
    let local = Options { asking: Some(Arc::new(local)), ..Options::default() };
    for (options, is_offered, asks) in [
        (answering("SELECT count(*) AS n FROM orders"), true, true),
        (local, false, true),
        (Options::default(), false, false),
    ] {
        let running = Running::with(options, SCRIPT, |_| {}).await;
        let ann = bearer(&running.tokens.create("ann", "reader", None).unwrap());
        assert_eq!(running.got("/caller").await["asks"], asks);
        let answer = running.call("ask", json!({"question": "How many orders are there?"}), &ann).await;
        assert_eq!(answer.body.contains("\"rows\":[[2]]"), is_offered, "{}", answer.body);
        if !asks {
            let none = running.posted("/ask", json!({"question": "Which customer is the oldest?"})).await;
            assert_eq!((none.status, &none.json()["code"]), (404, &json!("no_model")));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_there_are_the_approved_answers() {
    let running = Running::with(Options::default(), SCRIPT, |_| {}).await;
    let question = "How many orders are there?";
    let right = json!({"question": question, "sql": "SELECT count(*) AS n FROM orders", "verdict": "approve"});
    let said = running.posted("/feedback", right).await;
    assert_eq!(said.status, 201, "{}", said.body);
    let answer = running.posted("/ask", json!({"question": question})).await;
    let document = answer.json();
    assert_eq!((&document["status"], &document["rows"]), (&json!("answered"), &json!([[2]])), "{document}");
    let none = running.posted("/ask", json!({"question": "Which customer is the oldest?"})).await;
    assert_eq!((none.status, &none.json()["code"]), (404, &json!("no_model")), "{}", none.body);
}
