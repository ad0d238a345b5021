//! Callers over HTTP: of roles of the database, who get what it lets these read and are told of nothing else; and the log.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::load::{Loaded, MysqlServer, Place, PostgresServer, load};

use crate::project::Project;

/// Every line of the log is a document, and a request's has the id that its answer has.
#[test]
fn a_log_for_programs_has_a_line_for_each_request() {
    let project = Project::over("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let mut command = project.command(&["serve", "--http", "127.0.0.1:0", "--log-json"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut listening = Listening { child, address: String::new() };
    let mut event = || -> Value { serde_json::from_str(&lines.next().unwrap()).unwrap() };
    let said = event()["message"].as_str().unwrap().to_owned();
    listening.address = said.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let (status, answer) = listening.query("no token", "SELECT 'a secret'");
    let id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
    let logged = event();
    assert_eq!(
        (logged["message"].as_str(), logged["span"]["id"].as_str(), logged["status"].as_u64(), logged["path"].as_str()),
        (Some("answered"), Some(id.as_str()), Some(u64::from(status)), Some("/api/v1/query"))
    );
    assert!(!logged.to_string().contains("secret"), "{logged}");
}

/// A collector gets the spans of a request, in the trace that the request says it belongs to, and nothing of what was asked.
#[test]
fn a_collector_gets_traces_without_what_was_asked() {
    let project = Project::over("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", collector.local_addr().unwrap());
    let mut command = project.command(&["serve", "--http", "127.0.0.1:0", "--otlp", &address]);
    command.env("OTEL_BSP_SCHEDULE_DELAY", "200");
    let listening = Listening::of(command);
    let trace = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
    let (status, answer) = listening.send(trace, "POST", "/query", &json!({"sql": "SELECT 'a secret'"}));
    assert_eq!(status, 200, "{answer}");
    let mut sent = Vec::new();
    let parts: [&[u8]; 5] = [b"/api/v1/query", b"sqlite", b"returned_rows", b"http.response.status_code", TRACE];
    let holds = |sent: &[u8], part: &[u8]| sent.windows(part.len()).any(|bytes| bytes == part);
    // Spans may come in several parcels.
    while !parts.iter().all(|part| holds(&sent, part)) {
        let (stream, _) = collector.accept().unwrap();
        let mut stream = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            let line = line.trim().to_lowercase();
            length = line.strip_prefix("content-length: ").map_or(length, |length| length.parse().unwrap());
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        sent.extend(body);
        stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    }
    assert!(!holds(&sent, b"secret") && !holds(&sent, b"SELECT"), "{}", String::from_utf8_lossy(&sent));
}

/// The id of a trace as it is sent, in bytes.
const TRACE: &[u8] = &0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes();

#[test]
fn administrators_start_index_runs_and_cancel_them() {
    let project = Project::over("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let listening = Listening::over(&project);
    let body = |answer: &str| -> Value { serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap() };
    let ended = |id: u64| -> Value {
        for _ in 0..200 {
            let run = body(&listening.ask("", "GET", &format!("/index-runs/{id}"), &json!({})).1);
            if run["state"] != "running" {
                return run;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("run {id} doesn't end");
    };
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("CREATE TABLE added (y INTEGER); INSERT INTO added VALUES (2)").unwrap();
    let (status, answer) = listening.ask("", "POST", "/index-runs", &json!({}));
    assert!(status == 202 && answer.contains("location: /api/v1/index-runs/1"), "{answer}");
    let run = ended(1);
    assert_eq!((&run["state"], &run["by"]), (&json!("done"), &json!("local")), "{run}");
    assert!(run["said"][0].as_str().unwrap().contains("new: added"), "{run}");
    assert_eq!(listening.query("", "SELECT y FROM added").0, 200);

    // A database that is locked has a run wait, and cancelling ends it.
    database.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES (3)").unwrap();
    assert_eq!(listening.ask("", "POST", "/index-runs", &json!({"full": true})).0, 202);
    let (status, answer) = listening.ask("", "POST", "/index-runs", &json!({}));
    assert!(status == 409 && answer.contains("already_indexing") || status == 202, "{answer}");
    assert_eq!(listening.ask("", "DELETE", "/index-runs/2", &json!({})).0, 202);
    assert!(["cancelled", "failed"].contains(&ended(2)["state"].as_str().unwrap()));
    database.execute_batch("ROLLBACK").unwrap();
    for (path, sent, status, code) in
        [("/index-runs/77", json!({}), 404, "unknown_run"), ("/graph?area=nothing", json!({}), 404, "unknown_area")]
    {
        let (is, answer) = listening.ask("", "GET", path, &sent);
        assert!(is == status && answer.contains(code), "{path}: {answer}");
    }
    let (status, answer) = listening.ask("", "POST", "/index-runs", &json!({"source": "elsewhere"}));
    assert!(status == 404 && answer.contains("unknown_source"), "{answer}");
    let graph = body(&listening.ask("", "GET", "/graph", &json!({})).1);
    assert_eq!(graph["tables"].as_array().map(Vec::len), Some(2), "{graph}");
}

/// Tables that a role may not read are named by no text and no refusal; and writers of different roles keep each other's texts.
#[test]
fn texts_of_several_roles_stay_and_name_nothing_that_is_hidden() {
    let project = Project::over(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT); INSERT INTO orders VALUES (1, 'north'), (2, 'south');
         CREATE TABLE secretledger (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id));
         INSERT INTO secretledger VALUES (1, 1), (2, 2), (3, 2);",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    let role = "[guard.roles.north]\nrights = \"approver\"\ndeny_tables = [\"secretledger\"]\n";
    project.write("periplus.toml", &format!("{config}\n{role}"));
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["docs", "write"]).code, 0);
    let token = |name: &str, role: &str| {
        let made = project.run(&["token", "create", "--name", name, "--role", role]);
        made.stdout.split_whitespace().find(|word| word.len() > 30).unwrap().to_owned()
    };
    let tokens = [token("ann", "approver"), token("bob", "north")];
    let listening = Listening::over(&project);
    let (path, [ann, bob]) = ("/tables/data/orders/texts", &tokens);
    assert!(listening.ask(ann, "GET", "/tables/data/orders", &json!({})).1.contains("secretledger"));
    for path in ["/tables/data/orders", path] {
        assert!(!listening.ask(bob, "GET", path, &json!({})).1.contains("secretledger"));
    }
    let refused = |name: &str| {
        let (_, answer) = listening.ask(bob, "POST", "/check", &json!({"sql": format!("SELECT * FROM {name}")}));
        answer.split("\r\n\r\n").nth(1).unwrap().replace(name, "NAME")
    };
    assert_eq!(refused("secretledger"), refused("nothing_here"));
    for pragma in ["foreign_key_list('orders')", "table_info('secretledger')", "table_info('nothing_here')"] {
        let asked = json!({"sql": format!("SELECT * FROM pragma_{pragma}")});
        let (status, answer) = listening.ask(bob, "POST", "/query", &asked);
        assert!(status == 422 && answer.contains("aren't there for whoever asks"), "{answer}");
    }

    for round in 0..8 {
        let edits = [("notes", format!("n{round}")), ("business_context", format!("b{round}"))];
        std::thread::scope(|scope| {
            for (token, (field, text)) in tokens.iter().zip(&edits) {
                let listening = &listening;
                scope.spawn(move || assert_eq!(listening.ask(token, "PATCH", path, &json!({ *field: text })).0, 200));
            }
        });
        // What another role's caller has written may be seen a moment later.
        let all_there = || {
            let now = tokens.each_ref().map(|token| listening.ask(token, "GET", path, &json!({})).1);
            now.iter().all(|now| edits.iter().all(|(_, text)| now.contains(&format!("\"{text}\""))))
        };
        assert!(
            (0..100).any(|_| all_there() || {
                std::thread::sleep(Duration::from_millis(20));
                false
            }),
            "{round}"
        );
        let tags = tokens.each_ref().map(|token| {
            let answer = listening.ask(token, "GET", path, &json!({})).1;
            let tag = answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
            format!("authorization: Bearer {token}\r\nif-match: {tag}\r\n")
        });
        let written = std::thread::scope(|scope| {
            let write = |headers: &String| {
                let (listening, headers) = (&listening, headers.clone());
                scope.spawn(move || listening.send(&headers, "PATCH", path, &json!({"purpose": format!("p{round}")})).0)
            };
            tags.each_ref().map(write).map(|it| it.join().unwrap())
        });
        assert!(written == [200, 412] || written == [412, 200], "{round}: {written:?}");
    }
    let checked = project.run(&["docs", "check"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

/// A server over HTTP, ended with the value.
struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    fn over(project: &Project) -> Self {
        Self::of(project.command(&["serve", "--http", "127.0.0.1:0"]))
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut listening = Self { child, address: String::new() };
        let mut said = Vec::new();
        for line in lines {
            if let Some((_, rest)) = line.split_once("MCP at http://") {
                listening.address = rest.split('/').next().unwrap().to_owned();
                return listening;
            }
            said.push(line);
        }
        panic!("{said:#?}");
    }

    /// The status and the body of an answer.
    fn ask(&self, token: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let shown = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
        self.send(&shown, method, path, body)
    }

    fn send(&self, headers: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let (mut stream, body) = (TcpStream::connect(&self.address).unwrap(), body.to_string());
        let head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nhost: {}\r\n{headers}content-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    fn query(&self, token: &str, sql: &str) -> (u16, String) {
        self.ask(token, "POST", "/query", &json!({"sql": sql}))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

const DATA: &str = "CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, cost INTEGER);
    CREATE TABLE plans (id INTEGER, title TEXT); CREATE TABLE tickets (id INTEGER, region TEXT, owner TEXT);
    INSERT INTO orders VALUES (1, 'northland', 77123), (2, 'southland', 77124), (3, 'southland', 77125);
    CREATE TABLE closed (id INTEGER, memo TEXT); INSERT INTO closed VALUES (1, 'shuttered'), (2, 'shuttered'), (3, 'barred');
    INSERT INTO plans VALUES (1, 'takeover'); INSERT INTO tickets VALUES (1, 'northland', 'kim'), (2, 'southland', 'lee');";

/// A project over the data, as the role NAME has been granted a part of it by those statements, with a token for a caller who takes
/// it and one for somebody who doesn't.
fn granted(place: Box<dyn Place>, grants: &[&str], name: &str, login: Option<&str>) -> (Loaded, Project, [String; 2]) {
    let made = testkit::database(DATA);
    let mut loaded = load(place, made.path());
    grants.iter().for_each(|sql| loaded.execute(&sql.replace("NAME", name)));
    let dsn = match (login, loaded.dsn().split_once('@')) {
        (Some(login), Some((_, address))) => format!("{login}@{address}"),
        _ => loaded.dsn().to_owned(),
    };
    let project = Project::new();
    project.write(
        "periplus.toml",
        &format!(
            "[[sources]]\nid = \"data\"\ndsn = \"{dsn}\"\n[model]\nprovider = \"none\"\n\
             [guard.roles.analyst]\ndatabase_role = \"{name}\"\n[guard.roles.clerk]\nrights = \"approver\"\n"
        ),
    );
    let indexed = project.run(&["index"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    let token = |role: &str| {
        let made = project.run(&["token", "create", "--name", role, "--role", role]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        made.stdout.split_whitespace().find(|word| word.len() > 30).unwrap().to_owned()
    };
    let tokens = [token("analyst"), token("clerk")];
    (loaded, project, tokens)
}

#[test]
fn a_role_of_the_database_decides_on_postgres() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let grants = [
        "DROP ROLE IF EXISTS NAME",
        "CREATE ROLE NAME",
        "GRANT SELECT (id, region) ON orders TO NAME",
        "GRANT SELECT ON tickets TO NAME",
        "ALTER TABLE tickets ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY north ON tickets FOR SELECT TO NAME USING (region = 'northland')",
        "GRANT SELECT ON closed TO NAME",
        "ALTER TABLE closed ENABLE ROW LEVEL SECURITY",
    ];
    let name = format!("periplus_analyst_{}", std::process::id());
    let (mut loaded, project, [analyst, clerk]) = granted(Box::new(PostgresServer::at(&url)), &grants, &name, None);
    let listening = Listening::over(&project);
    let rows = |token: &str, sql: &str| {
        let (status, body) = listening.query(token, sql);
        assert_eq!(status, 200, "{sql}: {body}");
        body
    };
    for _ in 0..3 {
        let own = rows(&analyst, "SELECT id, region FROM tickets");
        assert!(own.contains("northland") && !own.contains("southland"), "{own}");
        let all = rows(&clerk, "SELECT id, region FROM tickets");
        assert!(all.contains("northland") && all.contains("southland"), "{all}");
        assert!(rows(&analyst, "SELECT region FROM orders").contains("southland"));
    }
    for sql in
        ["SELECT cost FROM orders", "SELECT max(cost) FROM orders", "SELECT * FROM plans", "SELECT count(*) FROM plans"]
    {
        let (status, body) = listening.query(&analyst, sql);
        assert!([403, 422].contains(&status) && !body.contains("77125") && !body.contains("takeover"), "{sql}: {body}");
        assert_eq!(listening.query(&clerk, sql).0, 200, "{sql}");
    }
    // Estimates rest on all rows.
    for (explained, statuses) in [("tickets", [422, 200]), ("orders", [200, 200])] {
        let sql = format!("EXPLAIN SELECT id FROM {explained}");
        assert_eq!([&analyst, &clerk].map(|token| listening.query(token, &sql).0), statuses, "{sql}");
    }
    // What people said of statements over what the role may not read, or with constants of rows that it may not see.
    for sql in [
        "SELECT count(*) FROM plans WHERE title = 'takeover'",
        "SELECT count(*) FROM closed WHERE memo = 'shuttered'",
        "SELECT count(*) FROM tickets WHERE owner = 'lee'",
        "SELECT count(*) FROM orders WHERE cost = 77125",
    ] {
        let said = json!({"question": format!("why {}?", sql.len()), "sql": sql, "verdict": "approve"});
        let (status, body) = listening.ask(&clerk, "POST", "/feedback", &said);
        assert_eq!(status, 201, "{body}");
    }
    let told = |token: &str, tables: &[&str]| -> String {
        let get = |path: &str| listening.ask(token, "GET", path, &json!({})).1;
        let words = ["northland", "southland", "takeover", "kim", "lee", "77123", "77125", "shuttered", "plans"];
        let of = |table: &&str| {
            let path = format!("/tables/data/public.{table}");
            get(&path)
                + &get(&format!("{path}/profile"))
                + &get(&format!("{path}/neighbours"))
                + &get(&format!("{path}/texts"))
        };
        let found = get("/search?query=takeover+southland+lee+shuttered")
            + &get("/tables")
            + &get("/feedback")
            + &get("/terms");
        let pages = if tables.is_empty() { found } else { tables.iter().map(of).collect() };
        words.into_iter().filter(|word| pages.contains(word)).collect::<Vec<_>>().join(" ")
    };
    // Of tickets nothing is told, whose rows are chosen for the role, nor of a table of which it sees none; of orders, regions.
    assert_eq!(told(&analyst, &["tickets", "closed"]), "");
    assert_eq!([told(&analyst, &["orders"]), told(&analyst, &[])], ["northland southland"; 2]);
    assert_eq!(listening.ask(&analyst, "GET", "/tables/data/public.plans", &json!({})).0, 404);
    let all = told(&clerk, &["orders", "plans", "tickets", "closed"]);
    assert!(
        all.contains("takeover") && all.contains("shuttered") && all.contains("lee") && all.contains("77125"),
        "{all}"
    );
    drop(listening);
    loaded.execute(&format!("DROP OWNED BY {name}"));
    loaded.execute(&format!("DROP ROLE {name}"));
    // Nobody is served who might be told too much.
    let run = project.run(&["serve"]);
    assert!(run.code != 0 && run.stderr.contains(&name), "{}", run.stderr);
}

#[test]
fn a_role_of_the_database_adds_to_the_login_on_mariadb() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_MYSQL") else { return };
    let grants = [
        "CREATE OR REPLACE ROLE NAME",
        "CREATE OR REPLACE USER NAME_login",
        "GRANT NAME TO NAME_login",
        "GRANT SELECT ON orders TO NAME_login",
        "GRANT SELECT (id) ON plans TO NAME",
    ];
    let name = format!("periplus_analyst_{}", std::process::id());
    let login = format!("mysql://{name}_login");
    let (mut loaded, project, [analyst, clerk]) =
        granted(Box::new(MysqlServer::at(&url)), &grants, &name, Some(&login));
    let listening = Listening::over(&project);
    let status = |token: &str, sql: &str| listening.query(token, sql).0;
    assert_eq!((status(&analyst, "SELECT cost FROM orders"), status(&clerk, "SELECT cost FROM orders")), (200, 200));
    // The catalog was made by who may read less: what it doesn't know can't be asked for.
    assert_ne!(status(&clerk, "SELECT id FROM plans"), 200);
    assert_ne!(status(&analyst, "SELECT title FROM plans"), 200);
    drop(listening);
    loaded.execute(&format!("DROP ROLE {name}"));
    let run = project.run(&["serve"]);
    assert!(run.code != 0 && run.stderr.contains(&format!("`{name}`")), "{}", run.stderr);
    loaded.execute(&format!("DROP USER {name}_login"));
}

#[test]
fn what_indexing_found_in_denied_columns_shows_in_nothing_that_is_there_or_is_not() {
    // What is told is the same, whatever stands in them.
    let told = |hidden: [&str; 5]| -> Vec<String> {
        let [badge, enc, order, code, same] = hidden;
        let project = Project::over(&format!(
            "CREATE TABLE badges (code TEXT PRIMARY KEY, color TEXT); CREATE TABLE staff (id INTEGER PRIMARY KEY, dept TEXT, badge TEXT);
             CREATE TABLE cfg (id INTEGER PRIMARY KEY, k TEXT, enc TEXT); CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);
             CREATE TABLE ledger (id INTEGER PRIMARY KEY, order_id INTEGER, memo TEXT); CREATE VIEW v_cust AS SELECT id, secret_code FROM customers;
             CREATE TABLE customers (id INTEGER PRIMARY KEY, tier TEXT, secret_code TEXT);
             CREATE TABLE evt_2024 (id INTEGER PRIMARY KEY, v TEXT, h TEXT); CREATE TABLE evt_2025 (id INTEGER PRIMARY KEY, v TEXT, h TEXT);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
             INSERT INTO orders SELECT i, i * 37 % 900 FROM n;
             INSERT INTO badges SELECT printf('B%04d', id), CASE id % 2 WHEN 0 THEN 'red' ELSE 'blue' END FROM orders WHERE id <= 60;
             INSERT INTO staff SELECT id, 'it', {badge} FROM orders; INSERT INTO cfg SELECT id, 'k' || id, {enc} FROM orders;
             INSERT INTO ledger SELECT id, {order}, 'm' FROM orders; INSERT INTO customers SELECT id, 'g', {code} FROM orders;
             INSERT INTO evt_2024 SELECT id, 'v' || id % 5, 'same' || id FROM orders; INSERT INTO evt_2025 SELECT id, 'v' || id % 5, {same} FROM orders;"
        ));
        let text = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
        let denied = "deny_tables = [\"ledger\"]\ndeny_columns = [\"evt_*.h\", \"staff.badge\", \"cfg.enc\", \"customers.secret_code\"]";
        project.write("periplus.toml", &format!("{text}\n[guard.roles.low]\nrights = \"reader\"\n{denied}\n"));
        assert_eq!(project.run(&["index"]).code, 0);
        let made = project.run(&["token", "create", "--name", "low", "--role", "low"]).stdout;
        let token = made.split_whitespace().find(|word| word.len() > 30).unwrap().to_owned();
        let listening = Listening::over(&project);
        let source = project.json(&["status"]).1["sources"][0]["name"].as_str().unwrap().to_owned();
        let tables = ["badges", "staff", "cfg", "orders", "customers", "v_cust", "evt_2024", "evt_2025"];
        let of = |table: &str| ["", "/texts", "/neighbours"].map(|part| format!("/tables/{source}/{table}{part}"));
        let paths = tables.iter().flat_map(|table| of(table)).chain(["/graph".to_owned(), "/terms".to_owned()]);
        let body = |path: &str| {
            let answer = listening.ask(&token, "GET", path, &json!({})).1;
            answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
        };
        paths.map(|path| format!("{path}: {}", body(&path))).collect()
    };
    let open =
        told(["printf('B%04d', 1 + id % 60)", "'ann' || id || '@mail.example.org'", "id", "'ALPHA'", "'same' || id"]);
    let others = told(["'Q' || id * 7919", "'zz'", "90000 + id", "'ZULU' || id * 104729", "'o' || id % 9"]);
    for (one, other) in open.iter().zip(&others) {
        assert_eq!(one, other);
    }
}

#[test]
fn what_a_role_may_not_read_has_to_be_there() {
    let project = Project::over("CREATE TABLE orders (id INTEGER, amount INTEGER)");
    let text = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    let role = "[guard.roles.analyst]\ndeny_columns = [\"orders.amuont\", \"orders.amount\"]\n";
    project.write("periplus.toml", &format!("{text}\n{role}"));
    let indexed = project.run(&["index"]);
    let said = "`orders.amuont`, denied to `guard.roles.analyst`, matches nothing";
    let told = indexed.stdout + &indexed.stderr;
    assert!(indexed.code == 0 && told.contains(said) && !told.contains("`orders.amount`"), "{told}");
    let served = project.run(&["serve"]);
    assert!(served.stderr.contains(said), "{}", served.stderr);
}

#[test]
fn a_file_has_no_roles_to_take_and_clickhouse_none_that_we_take() {
    let project = Project::over("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let text = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    let role = "[guard.roles.analyst]\ndatabase_role = \"a\"\n";
    project.write("periplus.toml", &format!("{text}\n{role}"));
    drop(Listening::over(&project));
    let away = "[[sources]]\nid = \"far\"\ndsn = \"clickhouse://a@127.0.0.1:1/b\"\n";
    project.write("periplus.toml", &format!("{away}\n{text}\n{role}"));
    let run = project.run(&["serve"]);
    assert!(run.code == 1 && run.stderr.contains("no_database_roles"), "{}", run.stderr);
}
