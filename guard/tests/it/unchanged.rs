//! If a statement is accepted, the database is unchanged after it ran.
//!
//! Thousands of statements go through the guard into real engines: the specs', those of a grammar, hostile ones, and
//! mutations of all of them. `PERIPLUS_TEST_CASES` makes it more of them, `PERIPLUS_TEST_SEED` others, and
//! `PERIPLUS_TEST_STATEMENTS` names a file of further ones to start from, separated like the specs'.
//!
//! What is accepted must not act as far as anybody can tell from its text; what acts behind that, such as a view that
//! calls what writes, the engine has to stop.
//!
//! Invariant: a run that is green has compared the whole state after every accepted statement, or after the few that
//! came before it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use catalog::Dialect;
use connect::{ConnectError, Limits};
use guard::{Finding, GuardError, Policy, SensitiveColumns};

use crate::databases::{Database, Engine, MARIADB, POSTGRES, SQLITE, State, on_a_large_stack};
use crate::specs::statements_of;
use crate::statements::{Case, Nature, Statements, cases};

/// How many statements are made where nobody asks for more.
const FEW: u64 = 250;
/// So many accepted statements on a server, before its whole state is compared.
const BATCH: usize = 50;
/// More of the same says nothing new.
const MOST_FINDINGS: usize = 20;

/// With the default policy, and with one that lets more through.
fn policies() -> [Policy; 2] {
    let config = guard::PolicyConfig { sensitive_columns: SensitiveColumns::Allow, ..Default::default() };
    [Policy::default(), Policy::new(config).unwrap()]
}

fn limits() -> Limits {
    Limits { timeout: Duration::from_millis(400), ..Limits::default() }
}

#[test]
fn accepted_statements_of_all_specs_run_and_leave_the_file_as_it_was() {
    let database = Database::of(&SQLITE).unwrap();
    let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
    let [_, permissive] = policies();
    let before = database.files();
    let (mut ran, mut failed) = (0, Vec::new());
    for statement in statements_of(&Dialect::Sqlite) {
        match database.guarded(&statement, &permissive, &limits) {
            Ok(_) => ran += 1,
            Err(GuardError::Refused(_)) => {}
            Err(error) => failed.push(format!("{statement}: {error:?}")),
        }
        assert_eq!(database.files(), before, "{statement}");
    }
    assert!(ran > 100, "only {ran} statements ran");
    assert!(failed.is_empty(), "accepted, but the engine did not agree:\n{}", failed.join("\n"));
}

#[test]
fn whatever_is_accepted_leaves_sqlite_unchanged() {
    on_a_large_stack(|| leaves_unchanged(&SQLITE));
}

#[test]
fn whatever_is_accepted_leaves_postgres_unchanged() {
    on_a_large_stack(|| leaves_unchanged(&POSTGRES));
}

#[test]
fn whatever_is_accepted_leaves_mariadb_unchanged() {
    on_a_large_stack(|| leaves_unchanged(&MARIADB));
}

fn leaves_unchanged(engine: &'static Engine) {
    let Some(database) = Database::of(engine) else { return };
    let statements = Statements::of(&Dialect::from_name(engine.dialect), database.outside());
    let mut trial = Trial::on(database);
    let made = cases(FEW);
    for case in statements.seeds().chain((0..made).map(|number| statements.case(number))) {
        trial.put(&case);
        if trial.findings.len() >= MOST_FINDINGS {
            break;
        }
    }
    trial.compare();
    let figures = trial.figures();
    eprintln!("{figures}; seed {}", statements.seed());
    assert!(trial.findings.is_empty(), "{figures}; seed {}:\n{}", statements.seed(), trial.findings.join("\n"));
    // What refuses everything, and what runs nothing, changes nothing either.
    let count = |outcome| trial.tally.get(&outcome).copied().unwrap_or(0);
    assert!(count(Outcome::Ran) * 8 > made, "too few ran: {figures}");
    assert!(trial.hostile_refused * 10 > made, "too few were hostile: {figures}");
}

/// What became of a statement, the further it got the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    /// The rules accepted it; the engine doesn't compile it.
    NotCompiled,
    Ran,
    /// The engine gave up on it, the time limit apart.
    Failed,
    Stopped,
}

impl Outcome {
    fn of(sql: &str, answer: &Result<guard::Answer, GuardError>) -> Self {
        match answer {
            Ok(_) => Self::Ran,
            Err(GuardError::Refused(verdict)) => {
                let by_the_engine = |finding: &Finding| finding.code == "engine_refuses";
                if verdict.errors().all(by_the_engine) { Self::NotCompiled } else { Self::Refused }
            }
            Err(GuardError::Connect(ConnectError::Timeout { .. })) => Self::Stopped,
            Err(GuardError::Connect(error @ (ConnectError::Unreachable { .. } | ConnectError::Stopped { .. }))) => {
                panic!("the engine has gone: {error}: {sql}")
            }
            Err(_) => Self::Failed,
        }
    }
}

/// Statements on one database, and what came of them.
struct Trial {
    database: Database,
    before: State,
    /// Accepted since the states were last compared.
    unchecked: Vec<String>,
    tally: BTreeMap<Outcome, u64>,
    hostile_refused: u64,
    findings: Vec<String>,
    started: Instant,
}

impl Trial {
    fn on(mut database: Database) -> Self {
        let before = database.state();
        Self {
            database,
            before,
            unchecked: Vec::new(),
            tally: BTreeMap::new(),
            hostile_refused: 0,
            findings: Vec::new(),
            started: Instant::now(),
        }
    }

    fn put(&mut self, case: &Case) {
        let outcomes =
            policies().map(|policy| Outcome::of(&case.sql, &self.database.guarded(&case.sql, &policy, &limits())));
        // The policy that lets more through says what became of it.
        *self.tally.entry(outcomes[1]).or_default() += 1;
        if outcomes.iter().all(|outcome| *outcome == Outcome::Refused) {
            self.hostile_refused += u64::from(case.nature == Nature::Hostile);
            return;
        }
        let acts = match case.nature {
            Nature::Any => false,
            Nature::Hostile => true,
            // What the engine doesn't take either is no part of anything.
            Nature::Planted => outcomes.iter().any(|outcome| *outcome > Outcome::NotCompiled),
        };
        if acts {
            self.findings.push(format!("hostile, and accepted ({outcomes:?}): {}", case.sql));
        }
        self.unchecked.push(case.sql.clone());
        // Files are quickly compared.
        if !self.database.runs_on_a_server() && !self.database.files().iter().all(|file| self.is_as_before(file)) {
            self.compare();
        }
        if self.unchecked.len() >= BATCH {
            self.compare();
        }
    }

    fn is_as_before(&self, (what, value): (&String, &String)) -> bool {
        self.before.get(what) == Some(value)
    }

    /// Compares everything with how it was; what has changed it is looked for in a new database.
    fn compare(&mut self) {
        let suspects = std::mem::take(&mut self.unchecked);
        let differences = self.database.differences(&self.before);
        if differences.is_empty() {
            return;
        }
        let culprits = culprits(self.database.engine, &suspects);
        let named = if culprits.is_empty() { suspects } else { culprits };
        self.findings.push(format!("changed: {}\n  by: {}", differences.join("\n  "), named.join("\n  or: ")));
        self.before = self.database.state();
    }

    fn figures(&self) -> String {
        let all: u64 = self.tally.values().sum();
        let outcomes: Vec<String> = self.tally.iter().map(|(outcome, count)| format!("{outcome:?} {count}")).collect();
        let (name, seconds) = (self.database.engine.name, self.started.elapsed().as_secs());
        let hostile = self.hostile_refused;
        format!(
            "{name}: {all} statements in {seconds} s, {}, of those refused {hostile} hostile on purpose",
            outcomes.join(", ")
        )
    }
}

/// Those of the statements that change something when they run alone.
fn culprits(engine: &'static Engine, suspects: &[String]) -> Vec<String> {
    let Some(mut database) = Database::of(engine) else { return Vec::new() };
    let mut before = database.state();
    let mut found = Vec::new();
    for sql in suspects {
        for policy in policies() {
            let _ = database.guarded(sql, &policy, &limits());
        }
        let differences = database.differences(&before);
        if !differences.is_empty() {
            found.push(format!("{sql} ({})", differences.join("; ")));
            before = database.state();
        }
    }
    found
}
