//! More clients than there is room for, and clients that take what is others'.

use super::*;

/// A request of a client that keeps the connection and reads nothing.
async fn unread(running: &Running, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&running.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// They are let in by nobody, so they make way at once, however long they might have stayed.
#[tokio::test(flavor = "multi_thread")]
async fn who_asks_nothing_makes_way_for_who_does() {
    let running = Running::new(|options| options.connections = 4).await;
    let mut idle = Vec::new();
    for begun in ["", "P", "PRI * HTTP/2.0", "GET / HT", "GET /api/v1/sources HTTP/1.1\r\nhost: localhost\r\n"] {
        let mut stream = TcpStream::connect(&running.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        idle.push(stream);
    }
    for _ in 0..6 {
        idle.push(unread(&running, "/page/app.js", "").await);
    }
    let since = Instant::now();
    assert_eq!(running.get("/healthz", "").await.status, 200);
    assert_eq!(running.get(ANY, "").await.status, 200);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

/// What is under way for those who were let in goes on, and one of them has no more than a share.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_has_a_share_of_what_is_under_way() {
    let running = Running::over(DIGITS, |options| options.connections = 8).await;
    let [ann, bob] = ["ann", "bob"].map(|name| bearer(&running.tokens.create(name, "reader", None).unwrap()));
    let request = Running::request(&called("read_query", json!({"sql": LONG})), &ann);
    let mut under_way = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(&running.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        under_way.push(stream);
    }
    let admin = bearer(&running.tokens.create("eve", "admin", None).unwrap());
    let mut counted = String::new();
    for _ in 0..100 {
        counted = running.get("/metrics", &admin).await.body;
        if counted.contains("\nperiplus_calls_in_progress 2\n") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(counted.contains("\nperiplus_calls_in_progress 2\n"), "{counted}");
    let refused = running.get(ANY, &ann).await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (429, Some("too_many_at_once")), "{}", refused.body);
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
    let mut idle = Vec::new();
    for _ in 0..12 {
        idle.push(TcpStream::connect(&running.address).await.unwrap());
    }
    assert_eq!(running.get(ANY, &bob).await.status, 200);
    let mut begun = [0; 1];
    let ended = tokio::time::timeout(Duration::from_millis(100), under_way[0].read(&mut begun)).await;
    assert!(ended.is_err(), "a request that is under way makes no way");
    drop(under_way);
    let mut again = running.get(ANY, &ann).await.status;
    for _ in 0..50 {
        if again == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        again = running.get(ANY, &ann).await.status;
    }
    assert_eq!(again, 200, "what its client has left isn't under way any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_that_nobody_needs_are_not_looked_at() {
    let running = Running::new(|_| {}).await;
    let long = "orders ".repeat(10_000);
    for (tool, arguments) in [
        ("list_tables", json!({"question": long})),
        ("search_context", json!({"query": long})),
        ("describe_table", json!({"table": long})),
        ("get_join_info", json!({"tables": ["orders", long]})),
        ("read_query", json!({"sql": format!("SELECT '{}'", long.repeat(2))})),
    ] {
        let answer = message(&running.call(tool, arguments, "").await);
        let code = &answer["result"]["structuredContent"]["error"]["code"];
        assert_eq!(code, "text_too_long", "{tool}: {}", answer.to_string().chars().take(300).collect::<String>());
    }
    let many: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    let sql = format!("SELECT count(*) AS n FROM orders WHERE id IN ({})", many.join(", "));
    let answer = message(&running.call("read_query", json!({"sql": sql}), "").await);
    assert_eq!(answer["result"]["structuredContent"]["rows"], json!([[2]]), "a long list is none of them");
}

/// Whoever knows the id of another's conversation neither goes on with it nor listens to it nor ends it.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_its_callers_own() {
    let running = Running::new(|options| options.conversations = 8).await;
    let [ann, bob] = ["ann", "bob"].map(|name| bearer(&running.tokens.create(name, "reader", None).unwrap()));
    let send = |method: &str, body: &Value, headers: String| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        format!(
            "{method} /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
            accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }});
    let begin = async |who: &str| {
        let begun = running.raw(&send("POST", &initialize, who.to_owned())).await;
        assert_eq!(begun.status, 200, "{}", begun.body);
        let id = begun.head.lines().find(|line| line.starts_with("mcp-session-id:")).unwrap().to_owned() + "\r\n";
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        running.raw(&send("POST", &begun, format!("{id}{who}"))).await;
        id
    };
    let id = begin(&ann).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "read_query", "arguments": {"sql": "SELECT count(*) AS n FROM orders"}}});
    let own = running.raw(&send("POST", &call, format!("{id}{ann}"))).await;
    assert_eq!(message(&own)["result"]["structuredContent"]["rows"], json!([[2]]), "{}", own.body);
    let none = Value::Null;
    for (method, body, headers) in [
        ("POST", &call, format!("{id}{bob}")),
        ("GET", &none, format!("{id}last-event-id: 0/0\r\n{bob}")),
        ("DELETE", &none, format!("{id}{bob}")),
        ("POST", &call, id.clone()),
        ("POST", &call, format!("mcp-session-id: 00000000-0000-4000-8000-000000000000\r\n{bob}")),
    ] {
        let other = running.raw(&send(method, body, headers)).await;
        assert_eq!(
            (other.status, other.json()["code"].as_str()),
            (404, Some("unknown_conversation")),
            "{}",
            other.body
        );
    }
    // Of one caller there are few, and others' stay.
    begin(&bob).await;
    let second = begin(&bob).await;
    assert_eq!(running.raw(&send("POST", &call, format!("{id}{ann}"))).await.status, 200);
    assert_eq!(running.raw(&send("POST", &call, format!("{second}{bob}"))).await.status, 200);
    assert!(running.raw(&send("DELETE", &none, format!("{id}{ann}"))).await.status < 300);
    assert_eq!(running.raw(&send("POST", &call, format!("{id}{ann}"))).await.status, 404);
    // What the protocol's crate says in plain words is a problem like others.
    let wrong = running
        .raw(&send("POST", &call, bob.clone()).replace("application/json, text/event-stream", "text/html"))
        .await;
    assert!(wrong.status >= 400 && wrong.json()["code"].is_string(), "{}", wrong.body);
}

/// Streams make way for requests, and bodies that don't come are nobody's turn.
#[tokio::test(flavor = "multi_thread")]
async fn who_only_listens_makes_way_for_who_asks() {
    let running = Running::new(|options| options.connections = 8).await;
    let mut open = Vec::new();
    for name in ["ann", "bob", "cleo", "dan"] {
        let token = bearer(&running.tokens.create(name, "reader", None).unwrap());
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }});
        let body = initialize.to_string();
        let begun = running
            .raw(&format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
                accept: application/json, text/event-stream\r\n{token}content-length: {}\r\n\r\n{body}",
                body.len()
            ))
            .await;
        let id = begun.head.lines().find(|line| line.starts_with("mcp-session-id:")).unwrap().to_owned();
        open.push(unread(&running, "/mcp", &format!("accept: text/event-stream\r\n{id}\r\n{token}")).await);
        let mut slow = TcpStream::connect(&running.address).await.unwrap();
        let head = format!(
            "POST /api/v1/query HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{token}content-length: 50\r\n\r\n{{"
        );
        slow.write_all(head.as_bytes()).await.unwrap();
        open.push(slow);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let since = Instant::now();
    for _ in 0..3 {
        assert_eq!(running.get(ANY, "").await.status, 200);
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

/// An answer that its client takes slowly isn't cut off by those who ask nothing, and has all of its bytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_whole_however_slowly_it_is_taken() {
    let running = Running::over(DIGITS, |options| options.connections = 2).await;
    let sql = format!("SELECT '{}' AS t FROM digits a, digits b, digits c, digits d LIMIT 10000", "x".repeat(100));
    let body = json!({"sql": sql, "max_rows": 10_000}).to_string();
    let request = format!(
        "POST /api/v1/query HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut slow = TcpStream::connect(&running.address).await.unwrap();
    slow.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut idle = Vec::new();
    for _ in 0..6 {
        idle.push(TcpStream::connect(&running.address).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut bytes = Vec::new();
    slow.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    assert_eq!(body.len(), length, "{head}");
    let rows = serde_json::from_str::<Value>(body).unwrap()["rows"].as_array().unwrap().len();
    assert!(rows >= 1_000, "{rows}");
}
