//! Requests written by hand, and what comes back: who is let in, what is too much, how a server ends.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{MaskRules, StructureVerdict, Table};
use guard::{Policy, PolicyConfig};
use jiff::Timestamp;
use privacy::{Denied, DeniedWhat, Sensitivity};
use rmcp::ServerHandler;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

mod conformance;
mod crowds;
mod encrypted;
mod oauth;

use super::{HttpOptions, HttpServer};
use crate::calls::Calls;
use crate::mcp::tests::{SCRIPT, catalog_path, context, opened, over};
use crate::mcp::{self, Answering};
use crate::served::Served;
use crate::tokens::Tokens;
use crate::{Options, Rights, Role, ServeError, Serving};

/// What anybody may ask who is let in.
const ANY: &str = "/api/v1/sources";

pub(super) struct Running {
    address: String,
    pub(super) tokens: Tokens,
    stop: Arc<Notify>,
    server: JoinHandle<()>,
    _folders: (TempDir, testkit::TempDatabase),
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}\n{}", self.head, self.body))
    }
}

impl Running {
    pub(super) async fn new(change: impl FnOnce(&mut HttpOptions)) -> Self {
        Self::over(SCRIPT, change).await
    }

    async fn over(script: &str, change: impl FnOnce(&mut HttpOptions)) -> Self {
        Self::with(Options::default(), script, change).await
    }

    pub(super) async fn with(served: Options, script: &str, change: impl FnOnce(&mut HttpOptions)) -> Self {
        Self::with_roles(served, script, |_| Vec::new(), change).await
    }

    pub(super) async fn with_roles(
        served: Options,
        script: &str,
        roles: impl FnOnce(&testkit::TempDatabase) -> Vec<Role>,
        change: impl FnOnce(&mut HttpOptions),
    ) -> Self {
        Self::answered_by(mcp::answering, served, script, roles, change).await
    }

    async fn answered_by<S: ServerHandler>(
        answering: impl FnOnce(Arc<Served>, Arc<Calls>) -> Answering<S> + Send + 'static,
        served: Options,
        script: &str,
        roles: impl FnOnce(&testkit::TempDatabase) -> Vec<Role>,
        change: impl FnOnce(&mut HttpOptions),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(folder.path().join("tokens.json"));
        let mut options = HttpOptions::new(([127, 0, 0, 1], 0).into(), tokens.clone());
        change(&mut options);
        let (context, database) = context(served, script).await;
        let roles = roles(&database);
        let server = HttpServer::bind(options).await.unwrap();
        let address = server.address().to_string();
        let stop = Arc::new(Notify::new());
        let told = Arc::clone(&stop);
        let serving = Serving::new(context).with_roles(roles);
        let server = tokio::spawn(server.run_with(serving, answering, async move { told.notified().await }));
        Self { address, tokens, stop, server, _folders: (folder, database) }
    }

    /// Sends these bytes and reads until the server closes the connection.
    pub(super) async fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
        read.unwrap().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    async fn get(&self, path: &str, headers: &str) -> Answer {
        let host = if headers.to_lowercase().contains("host:") { "" } else { "host: localhost\r\n" };
        self.raw(&format!("GET {path} HTTP/1.1\r\n{host}connection: close\r\n{headers}\r\n")).await
    }

    /// A request of the protocol without a conversation, as clients of 2026-07-28 send it.
    fn request(body: &Value, headers: &str) -> String {
        let body = body.to_string();
        let method = serde_json::from_str::<Value>(&body).unwrap()["method"].as_str().unwrap_or_default().to_owned();
        let name = serde_json::from_str::<Value>(&body).unwrap()["params"]["name"].as_str().map(str::to_owned);
        let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
        format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
            accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
            {name}{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value, headers: &str) -> Answer {
        self.raw(&Self::request(&called(tool, arguments), headers)).await
    }

    async fn stopped(self) -> Duration {
        let since = Instant::now();
        self.stop.notify_one();
        self.server.await.unwrap();
        since.elapsed()
    }
}

fn called(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }})
}

/// The message in an answer, whether it came as a document or as an event.
fn message(answer: &Answer) -> Value {
    let text = answer.body.lines().find_map(|line| line.strip_prefix("data: ")?.starts_with('{').then_some(&line[6..]));
    let text = text.map_or_else(|| answer.body.clone(), str::to_owned);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("no message: {}\n{}", answer.head, answer.body))
}

pub(super) fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_let_in() {
    let running = Running::new(|options| {
        options.require_token = true;
        options.tokens.create("first", "reader", None).unwrap();
    })
    .await;
    let held = running.tokens.create("ann", "reader", None).unwrap();
    let ended = running.tokens.create("old", "reader", Some(Timestamp::UNIX_EPOCH)).unwrap();
    let revoked = running.tokens.create("gone", "admin", None).unwrap();
    running.tokens.revoke("gone").unwrap();
    let wrong = bearer("periplus_0000");
    let picture = "sec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n";
    let link = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\n";
    let cases: [(&str, String, u16, &str); 16] = [
        ("a picture on a foreign page", format!("{picture}{}", bearer(&held)), 403, "origin_not_allowed"),
        ("a link on a foreign page", format!("{link}{}", bearer(&held)), 200, ""),
        ("the token", bearer(&held), 200, ""),
        ("the scheme in capitals", format!("AUTHORIZATION: BEARER {held}\r\n"), 200, ""),
        ("none", String::new(), 401, "token_missing"),
        ("a wrong one", wrong, 401, "token_unknown"),
        ("one that ended", bearer(&ended), 401, "token_expired"),
        ("one that was taken back", bearer(&revoked), 401, "token_unknown"),
        ("half of it", bearer(&held[..held.len() / 2]), 401, "token_unknown"),
        ("another scheme", format!("authorization: Basic {held}\r\n"), 401, "token_missing"),
        ("a token without signature", bearer("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."), 401, "token_unknown"),
        ("a foreign page", format!("origin: https://evil.example\r\n{}", bearer(&held)), 403, "origin_not_allowed"),
        ("a page of a file", format!("origin: null\r\n{}", bearer(&held)), 403, "origin_not_allowed"),
        ("its own page", format!("origin: http://localhost\r\n{}", bearer(&held)), 200, ""),
        ("a name that leads here", format!("host: evil.example\r\n{}", bearer(&held)), 403, "host_not_allowed"),
        ("a name like ours", format!("host: localhost.evil.example\r\n{}", bearer(&held)), 403, "host_not_allowed"),
    ];
    for (what, headers, status, code) in cases {
        let answer = running.get(ANY, &headers).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        if status != 200 {
            assert_eq!(answer.json()["code"], code, "{what}");
            assert!(answer.head.contains("application/problem+json"), "{what}: {}", answer.head);
        }
        assert_eq!(answer.head.contains("www-authenticate: bearer"), status == 401, "{what}");
        assert!(!answer.body.contains(&held), "{what}");
    }
    let query = running.get(&format!("{ANY}?access_token={held}"), "").await;
    assert_eq!((query.status, query.json()["code"].as_str()), (401, Some("token_in_query")));
}

#[tokio::test(flavor = "multi_thread")]
async fn on_this_machine_a_token_is_needed_only_where_others_may_come_through() {
    let open = Running::new(|_| {}).await;
    assert_eq!(open.get(ANY, "").await.status, 200);
    assert_eq!(open.get(ANY, &bearer("periplus_00")).await.status, 401, "a wrong token is nobody's");
    let named = Running::new(|options| {
        options.tokens.create("ann", "reader", None).unwrap();
        options.hosts.push("data.example".into());
    })
    .await;
    assert_eq!(named.get(ANY, "").await.status, 401);
    assert_eq!(named.get(ANY, "host: data.example\r\n").await.status, 401);
}

#[tokio::test]
async fn others_are_not_served_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = Tokens::at(folder.path().join("tokens.json"));
    let options = HttpOptions::new(([0, 0, 0, 0], 0).into(), tokens.clone());
    assert!(matches!(HttpServer::bind(options.clone()).await, Err(ServeError::NoTokens { .. })));
    tokens.create("old", "reader", Some(Timestamp::UNIX_EPOCH)).unwrap();
    assert!(matches!(HttpServer::bind(options.clone()).await, Err(ServeError::NoTokens { .. })));
    tokens.create("ann", "reader", None).unwrap();
    assert!(HttpServer::bind(options).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_of_the_protocol_is_answered_in_json() {
    let running = Running::new(|options| options.body_bytes = 1000).await;
    for (path, status, code) in [
        ("/nothing", 404, "not_found"),
        ("/.well-known/oauth-protected-resource", 404, "not_found"),
        ("/.well-known/oauth-authorization-server/mcp", 404, "not_found"),
    ] {
        let answer = running.get(path, "").await;
        assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)), "{path}");
    }
    assert_eq!(running.get("/healthz", "").await.status, 200);
    assert_eq!(running.get(ANY, "host: localhost\r\nhost: evil.example\r\n").await.json()["code"], "host_missing");
    assert_eq!(running.get("/healthz", "host: 10.1.2.3\r\n").await.json()["status"], "ok");
    assert_eq!(running.get("/readyz", "").await.json()["status"], "ready");
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y".repeat(2000)}});
    let answer = running.raw(&Running::request(&long, "")).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (413, Some("body_too_large")));
    let headers = format!("x-long: {}\r\n", "y".repeat(100_000));
    assert_eq!(running.get(ANY, &headers).await.status, 431);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_loaded_without_a_token_and_may_load_nothing_else() {
    let running = Running::new(|options| {
        options.require_token = true;
        options.tokens.create("ann", "reader", None).unwrap();
    })
    .await;
    let page = running.get("/", "").await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{}", page.head);
    let named = page.body.split('"').filter(|part| part.starts_with("page/"));
    for file in named.map(|file| format!("/{file}")) {
        let answer = running.get(&file, "").await;
        assert_eq!(answer.status, 200, "{file}");
        let tag = answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
        assert_eq!(running.get(&file, &format!("if-none-match: {tag}\r\n")).await.status, 304, "{file}");
    }
    assert_eq!(running.get("/page/../Cargo.toml", "").await.status, 404);
    assert_eq!(running.get("/", "host: evil.example\r\n").await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_asks_too_often_is_told_when_to_come_back() {
    let running = Running::new(|options| options.requests_per_minute = 3.try_into().unwrap()).await;
    let token = running.tokens.create("ann", "reader", None).unwrap();
    for _ in 0..3 {
        assert_eq!(running.get(ANY, &bearer(&token)).await.status, 200);
    }
    let answer = running.get(ANY, &bearer(&token)).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (429, Some("too_many_requests")));
    assert!(answer.head.contains("retry-after: "), "{}", answer.head);
    assert_eq!(running.get(ANY, "").await.status, 200, "others are counted apart");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_called_with_and_without_a_conversation() {
    let running = Running::new(|_| {}).await;
    let answer = running.call("read_query", json!({"sql": "SELECT count(*) AS n FROM orders"}), "").await;
    assert_eq!(message(&answer)["result"]["structuredContent"]["rows"], json!([[2]]), "{}", answer.body);
    let refused = running.call("read_query", json!({"sql": "SELECT email FROM customers"}), "").await;
    let refused = message(&refused);
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "masked_column", "{refused}");
    let unknown = running.call("nothing", json!({}), "").await;
    assert!(message(&unknown)["error"]["code"].is_i64(), "{}", unknown.body);
}

/// Numbers alone: no address that somebody made up, no tool that isn't there, no name.
#[tokio::test(flavor = "multi_thread")]
async fn who_runs_the_server_may_read_what_it_counts() {
    let made = Running::new(|options| {
        options.require_token = true;
        options.tokens.create("first", "reader", None).unwrap();
    })
    .await;
    let token = |name: &str, role: &str| bearer(&made.tokens.create(name, role, None).unwrap());
    let (reader, admin) = (token("ann", "reader"), token("root", "admin"));
    assert_eq!(made.get(ANY, &reader).await.status, 200);
    assert_eq!(made.get("/made/up", &reader).await.status, 404);
    assert_eq!(made.call("list_tables", json!({}), &reader).await.status, 200);
    made.call("read_query", json!({"sql": "DROP TABLE orders"}), &reader).await;
    made.call("no_such_tool", json!({}), &reader).await;
    assert_eq!(made.get("/metrics", "").await.status, 401);
    let refused = made.get("/metrics", &reader).await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (403, Some("role_may_not")));
    let counted = made.get("/metrics", &admin).await;
    assert_eq!(counted.status, 200, "{}", counted.body);
    assert!(counted.head.contains("application/openmetrics-text"), "{}", counted.head);
    for line in [
        "periplus_http_requests_total{method=\"GET\",route=\"/api/v1/sources\",status=\"200\"} 1",
        "periplus_http_requests_total{method=\"GET\",route=\"other\",status=\"404\"} 1",
        "periplus_http_requests_total{method=\"GET\",route=\"/metrics\",status=\"403\"} 1",
        "periplus_http_request_duration_seconds_count{route=\"/mcp\"} 3",
        "periplus_calls_total{tool=\"list_tables\",outcome=\"ok\"} 1",
        "periplus_calls_total{tool=\"read_query\",outcome=\"not_a_query\"} 1",
        "periplus_calls_total{tool=\"unknown\",outcome=\"unknown_tool\"} 1",
        "periplus_calls_in_progress 0",
    ] {
        assert!(counted.body.lines().any(|it| it == line), "{line}\n{}", counted.body);
    }
    assert!(!counted.body.contains("made/up") && !counted.body.contains("ann") && counted.body.ends_with("# EOF\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn approvers_alone_are_offered_a_tool_to_say_what_is_right() {
    let running = Running::new(|_| {}).await;
    let [reader, approver] =
        ["reader", "approver"].map(|role| bearer(&running.tokens.create(role, role, None).unwrap()));
    let listed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": called("", json!({}))["params"]});
    let listed = Running::request(&listed, "").replace("mcp-name: \r\n", "");
    for (who, is_offered) in [(&reader, false), (&approver, true), (&String::new(), false)] {
        let request = listed.replace("connection: close\r\n", &format!("connection: close\r\n{who}"));
        let tools = message(&running.raw(&request).await)["result"]["tools"].to_string();
        assert_eq!(tools.contains("give_feedback"), is_offered, "{tools}");
    }
    let said = json!({"verdict": "approve", "question": "How many orders?", "sql": "SELECT count(*) FROM orders"});
    let refused = message(&running.call("give_feedback", said.clone(), &reader).await);
    assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "role_may_not", "{refused}");
    let unknown = message(&running.call("give_feedback", said.clone(), "").await);
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let kept = message(&running.call("give_feedback", said, &approver).await);
    assert_eq!(kept["result"]["structuredContent"]["verdict"], "approved", "{kept}");
    let linked = running.call("list_tables", json!({"question": "How many orders?"}), &reader).await;
    assert!(linked.body.contains("approved for: How many orders?"), "{}", linked.body);
}

/// Masks one column more than the catalog is kept by.
struct WithoutCountries;

impl MaskRules for WithoutCountries {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        let denied = |column: &str| Denied { source: None, what: DeniedWhat::Columns, pattern: column.to_owned() };
        Sensitivity { deny: vec![denied("customers.country")], ..Sensitivity::standard() }.verdicts(table)
    }

    fn mark(&self) -> String {
        "without countries".to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_sees_the_catalog_by_its_own_rules_and_runs_what_it_may() {
    let analysts = |database: &testkit::TempDatabase| {
        let policy = PolicyConfig {
            deny_tables: vec!["suppliers".into()],
            deny_columns: vec!["customers.country".into()],
            ..PolicyConfig::default()
        };
        let options = Options {
            mask_rules: Some(Arc::new(WithoutCountries)),
            policy: Policy::new(policy).unwrap(),
            ..Options::default()
        };
        let context = over(database, opened(&catalog_path(database)), options);
        vec![Role { name: "analyst".into(), rights: Rights::Reader, context }]
    };
    let running = Running::with_roles(Options::default(), SCRIPT, analysts, |_| {}).await;
    let [reader, analyst, gone] =
        ["reader", "analyst", "gone"].map(|role| bearer(&running.tokens.create(role, role, None).unwrap()));
    let paths = [
        "/api/v1/tables/shop/customers",
        "/api/v1/tables/shop/customers/profile",
        "/api/v1/search?query=country%20US&limit=20",
    ];
    for path in paths {
        let shown = running.get(path, &reader).await.body;
        let kept_back = running.get(path, &analyst).await.body;
        assert!(shown.contains("\"US\"") || shown.contains("US,") || path.ends_with("profile"), "{path}: {shown}");
        assert!(!kept_back.contains("\"US\"") && !kept_back.contains("US,"), "{path}: {kept_back}");
    }
    for (sql, of_reader, of_analyst) in [
        ("SELECT country FROM customers", false, true),
        ("SELECT company FROM suppliers", false, true),
        ("SELECT count(*) FROM orders", false, false),
    ] {
        for (who, is_refused) in [(&reader, of_reader), (&analyst, of_analyst)] {
            let answer = message(&running.call("read_query", json!({"sql": sql}), who).await);
            assert_eq!(answer["result"]["isError"] == true, is_refused, "{sql}: {answer}");
        }
    }
    let linked = running.call("list_tables", json!({"question": "customers by country"}), &analyst).await;
    assert!(!linked.body.contains("'US'") && !linked.body.contains("US,"), "{}", linked.body);
    let approver = bearer(&running.tokens.create("approver", "approver", None).unwrap());
    for sql in ["SELECT count(*) FROM orders", "SELECT count(*) FROM customers WHERE country = 'FR'"] {
        let body = json!({"verdict": "approve", "question": "How many?", "sql": sql}).to_string();
        let request = format!(
            "POST /api/v1/feedback HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
            {approver}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(running.raw(&request).await.status, 201);
    }
    assert!(running.get("/api/v1/feedback", &reader).await.body.contains("'FR'"));
    // Another role's catalog follows within moments.
    let mut said = String::new();
    for _ in 0..40 {
        said = running.get("/api/v1/feedback", &analyst).await.body;
        if said.contains("FROM orders") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(said.contains("FROM orders") && !said.contains("'FR'"), "{said}");
    let unknown = running.get(ANY, &gone).await;
    assert_eq!((unknown.status, unknown.json()["code"].as_str()), (403, Some("role_unknown")));
}

const DIGITS: &str = "CREATE TABLE digits (d INTEGER PRIMARY KEY);
    INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);";

/// Some seconds of work.
const LONG: &str = "SELECT max(a.d + b.d + c.d + e.d + f.d + g.d + h.d + i.d) AS m FROM digits a, digits b, digits c, \
    digits e, digits f, digits g, digits h, digits i";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_told_to_stop_lets_calls_end_and_does_not_wait_for_ever() {
    let running = Running::over(DIGITS, |options| options.stop_within = Duration::from_millis(300)).await;
    let mut waiting = TcpStream::connect(&running.address).await.unwrap();
    let request = Running::request(&called("read_query", json!({"sql": LONG})), "");
    waiting.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let took = running.stopped().await;
    assert!(took < Duration::from_secs(6), "{took:?}");
    let idle = Running::new(|_| {}).await;
    let took = idle.stopped().await;
    assert!(took < Duration::from_secs(2), "{took:?}");
}
