//! A server that goes away in the middle of a run, and one that doesn't let every table be read.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use testkit::load::{Loaded, PostgresServer, load};

use crate::project::Project;

const VARIABLE: &str = "PERIPLUS_TEST_POSTGRES";
const TABLES: usize = 120;
/// What an answer takes through the relay: long enough for a run to be met in its middle.
const DELAY: Duration = Duration::from_millis(3);

/// A way to the server that can be closed: who goes by it has lost the server then.
struct Relay {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    server: String,
    is_open: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Relay {
    fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State { server: server.to_owned(), is_open: AtomicBool::new(true), streams: Mutex::default() };
        let state = Arc::new(state);
        let accepting = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if accepting.is_open.load(Ordering::SeqCst) {
                    accepting.join(client);
                }
            }
        });
        Self { address, state }
    }

    fn close(&self) {
        self.state.is_open.store(false, Ordering::SeqCst);
        for stream in self.state.streams.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn open(&self) {
        self.state.is_open.store(true, Ordering::SeqCst);
    }
}

impl State {
    fn join(&self, client: TcpStream) {
        let server = TcpStream::connect(&self.server).unwrap();
        let copy = |mut from: TcpStream, mut to: TcpStream, delay: Duration| {
            std::thread::spawn(move || {
                let mut buffer = [0; 65536];
                while let Ok(length @ 1..) = from.read(&mut buffer) {
                    std::thread::sleep(delay);
                    if to.write_all(&buffer[..length]).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(Shutdown::Both);
            });
        };
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
        copy(client.try_clone().unwrap(), server.try_clone().unwrap(), Duration::ZERO);
        copy(server, client, DELAY);
    }
}

/// An empty database, which `sql` fills.
fn database(sql: &str) -> Option<Loaded> {
    let url = testkit::server_url(VARIABLE)?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("faults.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch("CREATE TABLE made (id INTEGER)").unwrap();
    let mut loaded = load(Box::new(PostgresServer::at(&url)), &file);
    loaded.execute(&format!("DROP TABLE made; {sql}"));
    Some(loaded)
}

/// A project over the database at this address.
fn project(dsn: &str) -> Project {
    let project = Project::new();
    let text = format!("[[sources]]\nid = \"s\"\ndsn = \"{dsn}\"\n[model]\nprovider = \"none\"\n");
    project.write("periplus.toml", &text);
    project
}

/// User, host with port, and database of an address.
fn parts(dsn: &str) -> (&str, &str, &str) {
    let (_, rest) = dsn.split_once("://").unwrap();
    let (user, rest) = rest.split_once('@').unwrap();
    let (host, database) = rest.split_once('/').unwrap();
    (user, host, database)
}

#[test]
fn a_server_that_goes_away_costs_nothing_that_was_done() {
    let tables = (0..TABLES).map(|number| {
        format!("CREATE TABLE t{number} (id int PRIMARY KEY, v text); INSERT INTO t{number} VALUES (1, 'a{number}');")
    });
    let Some(loaded) = database(&tables.collect::<String>()) else { return };
    let (user, host, name) = parts(loaded.dsn());
    let relay = Relay::to(host);
    let project = project(&format!("postgres://{user}@{}/{name}", relay.address));
    let mut run = project.command(&["--json", "index"]);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let done = || {
        let path = project.path(".periplus/catalog.db");
        let catalog = path.exists().then(|| crate::project::try_store(&path)?.catalog().ok()).flatten();
        catalog.map_or(0, |catalog| catalog.entries().iter().filter(|entry| entry.profile().is_some()).count())
    };
    let started = Instant::now();
    while done() < 10 {
        assert!(started.elapsed() < Duration::from_secs(60), "the run doesn't begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    relay.close();
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_ne!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("unreachable") && said.contains("tables done") && said.contains("it continues"), "{said}");
    let before = done();
    assert!((10..TABLES).contains(&before), "{before}");
    relay.open();
    let (code, document) = project.json(&["index"]);
    let profile = &document["sources"][0]["profile"];
    assert_eq!((code, &profile["unchanged"], &profile["profiled"]), (0, &before.into(), &(TABLES - before).into()));
}

#[test]
fn tables_that_may_not_be_read_are_listed_and_the_others_done() {
    let role = format!("periplus_faults_{}", std::process::id());
    let sql = format!(
        "CREATE TABLE open_1 (id int); CREATE TABLE closed (id int); CREATE TABLE open_2 (id int);
         INSERT INTO open_1 VALUES (1); INSERT INTO open_2 VALUES (1); INSERT INTO closed VALUES (1);
         CREATE ROLE {role} LOGIN; GRANT SELECT ON open_1, open_2 TO {role};"
    );
    let Some(mut loaded) = database(&sql) else { return };
    let (_, host, name) = parts(loaded.dsn());
    let project = project(&format!("postgres://{role}@{host}/{name}"));
    let (code, document) = project.json(&["index"]);
    loaded.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    let profile = &document["sources"][0]["profile"];
    assert_eq!((code, &profile["profiled"], &profile["skipped"]), (0, &2.into(), &1.into()));
    let listed = &profile["unreadable"][0];
    assert_eq!(listed["table"], "s.public.closed");
    assert!(listed["reason"].as_str().unwrap().contains("permission denied"), "{listed}");
}

#[test]
fn an_error_does_not_say_what_may_not_be_shown() {
    let sql = "CREATE TABLE people (id int PRIMARY KEY, email text);
               INSERT INTO people SELECT n, 'p' || n || '@example.org' FROM generate_series(1, 50) AS n;";
    let Some(loaded) = database(sql) else { return };
    let project = project(loaded.dsn());
    let configuration = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{configuration}[guard]\nmasked_use = \"compare\"\n"));
    let run = project.run(&["index"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = project.run(&["query", "SELECT id FROM people WHERE CAST(email AS int) > 0"]);
    let said = run.stdout + &run.stderr;
    assert!(run.code != 0 && said.contains("withheld") && !said.contains("@example.org"), "{said}");
    let run = project.run(&["query", "SELECT 1 / (id - id) FROM people"]);
    assert!(run.stderr.contains("division by zero"), "{}", run.stderr);
}
