//! What the guard accepts stays small: nests of functions that are made up run on real engines, within time and memory.
//!
//! SQLite in this process tries a few every time. `PERIPLUS_TEST_THROWAWAY=1` tries more, and on servers that are started
//! for it, with a limit of memory, and thrown away: MariaDB goes on in a nest of `replace` after the time limit and after
//! `KILL`, so no server that others use is given any. `PERIPLUS_TEST_CASES` and `PERIPLUS_TEST_SEED` say how many and which.
//!
//! Two things are held against what was computed: an engine's answer, the length of the text that was made, is never above
//! the bound; and no accepted statement takes longer or more memory than it may.

mod calls;
mod nests;
mod throwaway;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use connect::{ConnectError, Limits, Value};
use guard::{GuardError, Policy};
use sql::GrowthKind;

use self::nests::Nests;
use self::throwaway::{Server, Watched};
use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE, on_a_large_stack};

/// Set where servers may be started and thrown away.
const THROWAWAY: &str = "PERIPLUS_TEST_THROWAWAY";
/// Names the process to watch, in the process that runs the statements.
const WATCHED: &str = "PERIPLUS_TEST_WATCHED";

const FEW: u64 = 150;
const MANY: u64 = 1_500;

/// How long an accepted statement may take, on two busy cores and without optimisation.
const LONGEST: Duration = Duration::from_secs(10);
/// How much an accepted statement may add to what the engine's process holds.
const MOST_MEMORY: u64 = 1 << 30;
/// What isn't worth being computed: see `sql::Growth`.
const WORTH_SAYING: f64 = 1_000.0;

#[test]
fn nests_on_sqlite_stay_small() {
    if std::env::var_os(THROWAWAY).is_some() && std::env::var_os(WATCHED).is_none() {
        return in_a_process_of_its_own("growth::nests_on_sqlite_stay_small", None, "self");
    }
    on_a_large_stack(|| tried(&SQLITE));
}

#[test]
fn nests_on_duckdb_stay_small() {
    apart("growth::nests_on_duckdb_stay_small", &DUCKDB, || None);
}

#[test]
fn nests_on_postgres_stay_small() {
    apart("growth::nests_on_postgres_stay_small", &POSTGRES, Server::postgres);
}

#[test]
fn nests_on_mariadb_stay_small() {
    apart("growth::nests_on_mariadb_stay_small", &MARIADB, Server::mariadb);
}

#[test]
fn nests_on_clickhouse_stay_small() {
    apart("growth::nests_on_clickhouse_stay_small", &CLICKHOUSE, Server::clickhouse);
}

#[test]
fn calls_on_sqlite_make_no_more_than_is_said() {
    on_a_large_stack(|| calls::tried(&SQLITE));
}

#[test]
fn calls_on_duckdb_make_no_more_than_is_said() {
    on_a_large_stack(|| calls::tried(&DUCKDB));
}

#[test]
fn calls_on_postgres_make_no_more_than_is_said() {
    on_a_large_stack(|| calls::tried(&POSTGRES));
}

#[test]
fn calls_on_mariadb_make_no_more_than_is_said() {
    on_a_large_stack(|| calls::tried(&MARIADB));
}

#[test]
fn calls_on_clickhouse_make_no_more_than_is_said() {
    on_a_large_stack(|| calls::tried(&CLICKHOUSE));
}

/// Tries an engine on an instance of its own, from a process of its own.
fn apart(test: &str, engine: &'static Engine, start: fn() -> Option<Server>) {
    if std::env::var_os(WATCHED).is_some() {
        return on_a_large_stack(move || tried(engine));
    }
    if std::env::var_os(THROWAWAY).is_none() {
        return eprintln!("skipped: `{THROWAWAY}` is not set");
    }
    if engine.name == DUCKDB.name {
        if testkit::server_url(DUCKDB.variable.unwrap()).is_some() {
            in_a_process_of_its_own(test, None, "self");
        }
        return;
    }
    match start() {
        Some(server) => {
            let address = (engine.variable.unwrap(), server.address());
            in_a_process_of_its_own(test, Some(address), &server.process().to_string());
        }
        None => eprintln!("skipped: {} can't be started here", engine.name),
    }
}

fn in_a_process_of_its_own(test: &str, server: Option<(&str, String)>, watched: &str) {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", test, "--nocapture"]).env(WATCHED, watched);
    process.envs(server);
    if let Some(library) = std::env::var_os(DUCKDB.variable.unwrap()).filter(|library| !library.is_empty()) {
        let library: PathBuf = std::path::absolute(library).unwrap();
        process.env(DUCKDB.variable.unwrap(), &library).env("PERIPLUS_DUCKDB_LIBRARY", &library);
    }
    let output = process.output().unwrap();
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// What was seen of one engine.
#[derive(Default)]
struct Seen {
    refused: u64,
    ran: u64,
    failed: u64,
    longest: (Duration, String),
    largest: (u64, String),
    longest_text: i64,
    complaints: Vec<String>,
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn tried(engine: &'static Engine) {
    let Some(database) = Database::of(engine) else { return };
    let throwaway = std::env::var_os(WATCHED);
    let watched = Watched::of(throwaway.as_deref().and_then(|it| it.to_str()).unwrap_or("self"));
    let cases = number("PERIPLUS_TEST_CASES", if throwaway.is_some() { MANY } else { FEW });
    let mut nests = Nests::new(engine.dialect, number("PERIPLUS_TEST_SEED", 1));
    let mut seen = Seen::default();
    for _ in 0..cases {
        run(&database, &nests.statement(), &watched, &mut seen);
    }
    eprintln!(
        "{}: {cases} nests, {} refused, {} ran, {} failed; longest {:?} in {}; most memory {} MB in {}; longest text {}",
        engine.name,
        seen.refused,
        seen.ran,
        seen.failed,
        seen.longest.0,
        seen.longest.1,
        seen.largest.0 / 1_000_000,
        seen.largest.1,
        seen.longest_text
    );
    assert!(seen.ran > cases / 10 && seen.refused > 0, "{} ran, {} were refused", seen.ran, seen.refused);
    assert!(seen.complaints.is_empty(), "{}", seen.complaints.join("\n"));
}

fn run(database: &Database, sql: &str, watched: &Watched, seen: &mut Seen) {
    let limits = Limits { timeout: 2 * LONGEST, ..Limits::default() };
    let before = watched.start();
    let started = Instant::now();
    let outcome = database.guarded(sql, &Policy::default(), &limits);
    let took = started.elapsed();
    let grown = watched.most_since(before);
    match outcome {
        Err(GuardError::Refused(_)) => return seen.refused += 1,
        Ok(answer) => {
            seen.ran += 1;
            let values = answer.verdict.reading.growth.iter().filter(|growth| growth.kind == GrowthKind::Value);
            let bound = values.map(|growth| growth.amount).fold(WORTH_SAYING, f64::max);
            if let Some(Value::Integer(length)) = answer.result.rows.first().and_then(|row| row.first()) {
                seen.longest_text = seen.longest_text.max(*length);
                if *length as f64 > bound {
                    seen.complaints.push(format!("{length} letters, and {bound} was the bound: {sql}"));
                }
            }
        }
        Err(GuardError::Connect(ConnectError::Statement { .. } | ConnectError::Denied { .. })) => seen.failed += 1,
        Err(error) => seen.complaints.push(format!("{}: {sql}", error.code())),
    }
    if took > LONGEST {
        seen.complaints.push(format!("{took:?}: {sql}"));
    }
    if grown > MOST_MEMORY {
        seen.complaints.push(format!("{} MB: {sql}", grown / 1_000_000));
    }
    if took > seen.longest.0 {
        seen.longest = (took, shown(sql));
    }
    if grown > seen.largest.0 {
        seen.largest = (grown, shown(sql));
    }
}

fn shown(sql: &str) -> String {
    sql.chars().take(160).collect()
}
