//! Which engine stops what by itself: every statement that the guard refuses to keep a database unchanged is sent past
//! the guard, to each engine, as a role that may do everything.
//!
//! What came of it goes into `docs/reference/engines-alone.md`. The test runs in a process of its own, in an empty folder,
//! because some of the statements name files. Invariant: whatever an engine does about a statement, everything is as it
//! was; nothing is left behind in any folder.

mod page;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use catalog::Dialect;
use connect::{ConnectError, Limits, ResultSet};

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};
use crate::specs::{Denied, denied_by};

/// The rules that keep a database unchanged, and its server at work.
const RULES: [&str; 6] = ["effects", "functions", "one_statement", "statement_kind", "system_catalog", "resource_bomb"];

/// In the order of the page's columns.
const ENGINES: [&Engine; 5] = [&SQLITE, &POSTGRES, &MARIADB, &DUCKDB, &CLICKHOUSE];

/// Specs that no engine is given to run, by how their names begin: MariaDB can't be stopped in them, and they take the
/// memory of a server that others use. `growth` tries their like in instances that are thrown away.
const NEVER_RUN: &str = "resource_bomb/deny_nested_growth";

/// Set in the process of its own.
const WITHIN: &str = "PERIPLUS_TEST_WITHIN";

/// Shorter than the statements that wait would wait, and long for those that don't, on a busy machine too.
const TIME_LIMIT: Duration = Duration::from_secs(2);
/// More than ClickHouse makes in a recursion before it gives up, so that it isn't a matter of chance which comes first.
const ROWS: usize = 10_000;

#[test]
fn engines_alone_leave_everything_as_it_was() {
    if std::env::var_os(WITHIN).is_none() {
        in_a_process_of_its_own("engines_alone::engines_alone_leave_everything_as_it_was");
        return;
    }
    let classes: Vec<Denied> =
        RULES.iter().flat_map(|rule| denied_by(rule)).filter(|class| !class.class.starts_with(NEVER_RUN)).collect();
    let mut outcomes = page::Outcomes::default();
    let mut changes = Vec::new();
    for engine in ENGINES {
        let Some(mut database) = Database::of(engine) else { continue };
        let mut before = database.state();
        for class in classes.iter().filter(|class| is_for(class, engine)) {
            let mut tally = Tally::default();
            for statement in &class.statements {
                let sql = elsewhere(statement, database.outside());
                tally.count(&database.unguarded(&sql, &limits()));
                if !database.runs_on_a_server() {
                    let differences = database.differences(&before);
                    changes.extend(differences.iter().map(|it| format!("{}: {statement}: {it}", engine.name)));
                }
            }
            let differences = database.differences(&before);
            if !differences.is_empty() {
                changes.push(format!("{}, {}: {}", engine.name, class.class, differences.join("\n  ")));
                before = database.state();
            }
            outcomes.add(engine.name, &class.class, tally.told(class));
        }
    }
    assert!(changes.is_empty(), "changed:\n{}", changes.join("\n"));
    let order: Vec<&str> = classes.iter().map(|class| class.class.as_str()).collect();
    page::compare(&outcomes, &order);
}

fn limits() -> Limits {
    Limits { timeout: TIME_LIMIT, rows: ROWS, ..Limits::default() }
}

/// What is written for SQLite is mostly everybody's SQL.
fn is_for(class: &Denied, engine: &Engine) -> bool {
    class.dialect == Dialect::Sqlite || class.dialect == Dialect::from_name(engine.dialect)
}

/// The statement with the files that it would write in a folder that is looked at, and is gone afterwards. What it reads
/// of the system stays where it is.
fn elsewhere(statement: &str, folder: &Path) -> String {
    let moved = |text: &str| match Path::new(text).file_name() {
        Some(name) if text.starts_with('/') && !text.starts_with("/etc/") => folder.join(name).display().to_string(),
        _ => text.to_owned(),
    };
    let pieces = statement.split('\'').enumerate();
    let pieces = pieces.map(|(place, text)| if place % 2 == 1 { moved(text) } else { text.to_owned() });
    pieces.collect::<Vec<_>>().join("'")
}

/// What became of the statements of a class.
#[derive(Default)]
struct Tally {
    all: usize,
    outcomes: BTreeMap<Outcome, usize>,
}

/// In the order in which they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    Failed,
    Stopped,
    Ran,
    /// One of the two before.
    RanAsLongAsItMay,
}

impl Tally {
    /// The outcomes in words. Whether a statement that asks for a lot comes to its end in time is a matter of the machine.
    fn told(mut self, class: &Denied) -> String {
        if class.class.starts_with("resource_bomb/") {
            let stopped = self.outcomes.remove(&Outcome::Stopped).unwrap_or(0);
            let ran = self.outcomes.remove(&Outcome::Ran).unwrap_or(0);
            if stopped + ran > 0 {
                self.outcomes.insert(Outcome::RanAsLongAsItMay, stopped + ran);
            }
        }
        self.to_string()
    }

    fn count(&mut self, answer: &Result<ResultSet, ConnectError>) {
        let outcome = match answer {
            Ok(_) => Outcome::Ran,
            Err(ConnectError::Timeout { .. }) => Outcome::Stopped,
            Err(
                ConnectError::Denied { .. }
                | ConnectError::PermissionDenied { .. }
                | ConnectError::StatementCount { .. }
                | ConnectError::ValueTooLarge { .. },
            ) => Outcome::Refused,
            // Had the engine gone, its state couldn't be asked for afterwards.
            Err(_) => Outcome::Failed,
        };
        self.all += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let refused = self.outcomes.get(&Outcome::Refused).copied().unwrap_or(0);
        write!(f, "refused {refused} of {}", self.all)?;
        for (outcome, count) in &self.outcomes {
            match outcome {
                Outcome::Refused => {}
                Outcome::Failed => write!(f, ", {count} failed")?,
                Outcome::Stopped => write!(f, ", {count} stopped by the time limit")?,
                Outcome::Ran => write!(f, ", {count} ran and changed nothing")?,
                Outcome::RanAsLongAsItMay => {
                    write!(f, ", {count} ran or were stopped by the time limit, and changed nothing")?;
                }
            }
        }
        Ok(())
    }
}

/// Runs the test of that name again, in an empty folder that has to stay empty, with DuckDB's library named to `connect`.
fn in_a_process_of_its_own(test: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", test, "--nocapture"]).current_dir(folder.path()).env(WITHIN, "1");
    if let Some(library) = std::env::var_os(DUCKDB.variable.unwrap()).filter(|library| !library.is_empty()) {
        let library = std::path::absolute(library).unwrap();
        process.env(DUCKDB.variable.unwrap(), &library).env("PERIPLUS_DUCKDB_LIBRARY", &library);
    }
    let output = process.output().unwrap();
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let left: Vec<PathBuf> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}
