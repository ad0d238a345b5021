//! A call that is cancelled, and a client that hangs up: what the engine was at is gone within a second, on every engine.
//!
//! Written by hand on the wire, because a client of the protocol's crate can't be stopped halfway. The engines' own views
//! of what they are at are asked; one that runs in this process counts a statement when it has ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use connect::Connector;
use guard::{Policy, PolicyConfig};
use serde_json::{Value, json};
use testkit::load::{ClickhouseServer, DuckdbFiles, Loaded, MysqlServer, Place, PostgresServer, load};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use crate::mcp::serve;
use crate::served::Served;
use crate::{Context, Options, ServeError, Serving, SourceAccess};

const DIGITS: &str = "CREATE TABLE digits (d INTEGER PRIMARY KEY);
    INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);";

/// Ten to the power of fourteen rows.
const ENDLESS: &str = "SELECT max(a.d + b.d + c.d + e.d + f.d + g.d + h.d + i.d + j.d + k.d + l.d + m.d + n.d + o.d) AS giving_up \
    FROM digits a, digits b, digits c, digits e, digits f, digits g, digits h, digits i, digits j, digits k, digits l, \
    digits m, digits n, digits o";

/// How long the engine may take to be rid of a statement.
const WITHIN: Duration = Duration::from_secs(1);

/// How an engine is asked how many such statements it is at; one that runs in this process isn't asked.
type Running = Option<&'static str>;

const POSTGRES: Running = Some(
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%giving_up%' AND pid <> pg_backend_pid()",
);
const MARIADB: Running =
    Some("SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%giving_up%' AND id <> connection_id()");
const CLICKHOUSE: Running =
    Some("SELECT count() FROM system.processes WHERE query LIKE '%giving_up%' AND query NOT LIKE '%system.processes%'");

#[test]
fn sqlite_is_rid_of_what_was_given_up() {
    let database = testkit::database(DIGITS);
    given_up(&database.dsn(), None, None);
}

#[test]
fn duckdb_is_rid_of_what_was_given_up() {
    on("PERIPLUS_TEST_DUCKDB", |library| Box::new(DuckdbFiles::by(library)), None);
}

#[test]
fn postgres_is_rid_of_what_was_given_up() {
    on("PERIPLUS_TEST_POSTGRES", |url| Box::new(PostgresServer::at(url)), POSTGRES);
}

#[test]
fn mariadb_is_rid_of_what_was_given_up() {
    on("PERIPLUS_TEST_MYSQL", |url| Box::new(MysqlServer::at(url)), MARIADB);
}

#[test]
fn clickhouse_is_rid_of_what_was_given_up() {
    on("PERIPLUS_TEST_CLICKHOUSE", |url| Box::new(ClickhouseServer::at(url)), CLICKHOUSE);
}

/// The same on a server, where there is one.
fn on(variable: &str, place: fn(&str) -> Box<dyn Place>, running: Running) {
    let Some(url) = testkit::server_url(variable) else { return };
    let database = testkit::database(DIGITS);
    let mut loaded = load(place(&url), database.path());
    let dsn = loaded.dsn().to_owned();
    given_up(&dsn, Some(&mut loaded), running);
}

fn given_up(dsn: &str, mut loaded: Option<&mut Loaded>, running: Running) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for way in ["cancelled", "hung up"] {
        let mut client = runtime.block_on(Client::of(dsn));
        runtime.block_on(client.ask(ENDLESS));
        let mut asked = Asked { running, loaded: loaded.as_deref_mut(), connector: client.connector() };
        asked.wait_until_it_runs();
        let before = client.connector().work().statements;
        let started = Instant::now();
        match way {
            "cancelled" => runtime.block_on(client.cancel()),
            _ => client.hang_up(),
        }
        asked.wait_until_it_is_gone(before, started, way);
        match way {
            "cancelled" => assert!(runtime.block_on(client.still_answers()), "the session is over"),
            _ => assert!(runtime.block_on(client.ended()).is_ok(), "the server failed"),
        }
    }
}

/// Where it is seen whether the statement runs.
struct Asked<'a> {
    running: Running,
    loaded: Option<&'a mut Loaded>,
    connector: Arc<dyn Connector>,
}

impl Asked<'_> {
    fn count(&mut self) -> Option<u64> {
        let (sql, loaded) = (self.running?, self.loaded.as_mut()?);
        loaded.rows(sql)[0][0].as_deref().and_then(|count| count.parse().ok())
    }

    fn wait_until_it_runs(&mut self) {
        let started = Instant::now();
        if self.running.is_none() {
            // Compiling it is what came before.
            while self.connector.work().statements == 0 && started.elapsed() < Duration::from_secs(2) {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(500));
            return;
        }
        while self.count() != Some(1) {
            assert!(started.elapsed() < Duration::from_secs(20), "it doesn't run");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn wait_until_it_is_gone(&mut self, before: u64, started: Instant, way: &str) {
        loop {
            let gone = match self.count() {
                Some(count) => count == 0,
                None => self.connector.work().statements > before,
            };
            if gone {
                break;
            }
            assert!(started.elapsed() < 3 * WITHIN, "{way}, and it still runs after {:?}", started.elapsed());
            std::thread::sleep(Duration::from_millis(10));
        }
        eprintln!("{way}: gone after {:?}", started.elapsed());
        assert!(started.elapsed() < WITHIN, "{way}: gone after {:?}", started.elapsed());
    }
}

struct Client {
    served: Arc<Served>,
    output: Option<WriteHalf<DuplexStream>>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
    _folder: tempfile::TempDir,
}

impl Client {
    async fn of(dsn: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let connector = connect::connect("it", dsn).unwrap();
        let store = super::opened(&folder.path().join("catalog.db"));
        store.put_source(connector.source()).unwrap();
        store.put_structure("it", &connector.introspect().await.unwrap()).unwrap();
        super::profile(&store);
        let dsn = dsn.to_owned();
        let source = SourceAccess::new("it", move || connect::connect("it", &dsn));
        // The planner would see what it is.
        let policy = Policy::new(PolicyConfig { max_estimated_rows: 0, ..PolicyConfig::default() }).unwrap();
        let limits = connect::Limits { timeout: Duration::from_secs(120), ..connect::Limits::default() };
        let options = Options { policy, limits, ..Options::default() };
        let context = Context::new(store, None, llm::static_embedder(), vec![source], options);
        let served = Arc::new(Served::new(Serving::new(context)));
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (server_input, server_output) = tokio::io::split(ours);
        let server = tokio::spawn(serve(Arc::clone(&served), (server_input, server_output)));
        let (input, output) = tokio::io::split(theirs);
        let input = BufReader::new(input).lines();
        let mut client = Self { served, output: Some(output), input, server, _folder: folder };
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})).await;
        client.answer_to(1).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    fn connector(&self) -> Arc<dyn Connector> {
        self.served.everybody().connector("it").unwrap().unwrap()
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.output.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let line = self.input.next_line().await.unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    async fn ask(&mut self, sql: &str) {
        let params = json!({"name": "read_query", "arguments": {"sql": sql}});
        self.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).await;
    }

    async fn cancel(&mut self) {
        let params = json!({"requestId": 2, "reason": "no longer wanted"});
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }

    async fn still_answers(&mut self) -> bool {
        let params = json!({"name": "read_query", "arguments": {"sql": "SELECT count(*) AS n FROM digits"}});
        self.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params})).await;
        let answer = self.answer_to(3).await;
        answer["result"]["structuredContent"]["row_count"] == json!(1) || answer.to_string().contains("10")
    }

    /// Closes what the server reads from.
    fn hang_up(&mut self) {
        let output = self.output.take().unwrap();
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async move {
            let mut output = output;
            output.shutdown().await.unwrap();
        });
    }

    async fn ended(self) -> Result<(), ServeError> {
        self.server.await.unwrap()
    }
}
