//! What a statement costs beyond itself: ways to the server and back, counted between the two, and time beside a
//! connection that asks it nothing else, in the same run.
//!
//! Times are printed, and held to the limit only where the code is optimised: what is slow without is reading, not asking.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use catalog::{Catalog, Dialect, Entry, Exactness, KnownValues, RowCount, Source};
use connect::{Connector, Limits};
use guard::Policy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::databases::{Database, Engine, MARIADB, POSTGRES};

/// How often round trips are counted; the fewest are those that it takes.
const TRIES: usize = 30;
const SIMPLE: &str = "SELECT full_name, country FROM customers WHERE is_active = 1 ORDER BY full_name";
const SIX_ABSENT: &str = "SELECT count(*) AS n FROM order_lines WHERE sku = 'X-1' OR sku = 'X-2' OR sku = 'X-3' \
                          OR sku = 'X-4' OR sku = 'X-5' OR sku = 'X-6'";
/// A table with a masked column, of which the database is asked what the statement reads.
const BESIDE_MASKED: &str = "SELECT employee_id, name FROM employees ORDER BY name";
/// How much longer a statement may take by the guard than without.
const MOST_BESIDES: Duration = Duration::from_millis(2);
const TIMES: usize = 200;

/// Stands between a client and a server, and counts how often the client waited for the server.
struct Relay {
    address: SocketAddr,
    waits: Arc<AtomicU64>,
}

impl Relay {
    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = Self { address: listener.local_addr().unwrap(), waits: Arc::default() };
        let waits = Arc::clone(&relay.waits);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                let asked = Arc::new(AtomicBool::new(false));
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let was_asked = Arc::clone(&asked);
                tokio::spawn(pass_on(from_client, to_server, move || was_asked.store(true, Ordering::SeqCst)));
                let waits = Arc::clone(&waits);
                tokio::spawn(pass_on(from_server, to_client, move || {
                    if asked.swap(false, Ordering::SeqCst) {
                        waits.fetch_add(1, Ordering::SeqCst);
                    }
                }));
            }
        });
        relay
    }
}

async fn pass_on(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    seen: impl Fn() + Send,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        seen();
        if to.write_all(&buffer[..length]).await.is_err() {
            break;
        }
    }
}

/// The database's catalog, as if nothing were known of the values.
fn without_values(database: &Database) -> Catalog {
    let entries = database.catalog.entries().iter().cloned().map(|mut entry: Entry| {
        entry.table_mut().row_count = Some(RowCount { value: 5, exactness: Exactness::Exact });
        entry.change_profile(|profile| {
            for column in &mut profile.columns {
                column.values = KnownValues::Unknown;
                column.pattern = None;
            }
        });
        entry
    });
    let mut source = Source::new("spec", Dialect::from_name(database.engine.dialect), "");
    source.search_path = database.runtime.block_on(database.connector.search_path()).unwrap();
    Catalog::new(vec![source], entries.collect(), Vec::new(), 1)
}

/// How often a statement waits for the server, on a connection that has been used.
fn waits(database: &Database, catalog: &Catalog, sql: &str) -> u64 {
    let dsn = database.dsn();
    let (before, rest) = dsn.split_once('@').unwrap();
    let (server, after) = rest.split_once('/').unwrap();
    database.runtime.block_on(async {
        let relay = Relay::to(server.to_owned()).await;
        let dsn = format!("{before}@{}/{after}", relay.address);
        let connector = connect::connect("spec", &dsn).unwrap();
        // What is sent in one go can be answered in two; the first time logs in besides.
        let mut counted = u64::MAX;
        for _ in 0..TRIES {
            let before = relay.waits.load(Ordering::SeqCst);
            run(sql, catalog, connector.as_ref()).await;
            // What is sent without waiting for it has arrived by then.
            tokio::time::sleep(Duration::from_millis(50)).await;
            counted = counted.min(relay.waits.load(Ordering::SeqCst) - before);
        }
        counted
    })
}

async fn run(sql: &str, catalog: &Catalog, connector: &dyn Connector) {
    let answer = guard::run(sql, catalog, connector, &Policy::default(), &Limits::default()).await;
    answer.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

fn costs(engine: &'static Engine, most_simple: u64, most_absent: u64, most_beside_masked: u64) {
    let Some(mut database) = Database::of(engine) else { return };
    let catalog = without_values(&database);
    let [simple, absent, beside] = [SIMPLE, SIX_ABSENT, BESIDE_MASKED].map(|sql| waits(&database, &catalog, sql));
    let mut taken: [Vec<Duration>; 2] = Default::default();
    for _ in 0..TIMES {
        let started = Instant::now();
        database.runtime.block_on(run(SIMPLE, &catalog, database.connector.as_ref()));
        taken[0].push(started.elapsed());
        // The owner's connection stays open and asks for nothing besides. (Asking it for rows would log in each time.)
        let started = Instant::now();
        database.alter(SIMPLE);
        taken[1].push(started.elapsed());
    }
    let [guarded, bare] = taken.map(|mut times| {
        times.sort();
        times[TIMES / 2]
    });
    eprintln!(
        "{}: {simple} round trips for a simple query, {absent} with six absent literals, {beside} beside a masked column; median {guarded:?}, by the bare \
         driver {bare:?}",
        engine.name
    );
    assert!(simple <= most_simple && absent <= most_absent, "{simple} and {absent} round trips");
    assert!(simple < beside && beside <= most_beside_masked, "{beside} round trips beside a masked column");
    let limit = cfg!(not(debug_assertions)).then_some(bare + MOST_BESIDES);
    assert!(limit.is_none_or(|limit| guarded <= limit), "{guarded:?}, by the bare driver {bare:?}");
}

#[test]
fn a_statement_on_postgresql_takes_four_round_trips() {
    costs(&POSTGRES, 4, 6, 4);
}

#[test]
fn a_statement_on_mariadb_takes_seven_round_trips() {
    costs(&MARIADB, 7, 9, 8);
}
