//! Many callers at once, over one connector in one process: honest statements, misspelt ones, hostile ones, and some that
//! would run for ever.
//!
//! A few seconds by default; `PERIPLUS_TEST_SECONDS=600` makes it ten minutes, with the time limit that is usual. What
//! a caller waits for is compared with what it waits for alone, in the same run, because no machine is as fast as
//! another. Invariant: callers that get what they shouldn't, in either direction, fail the test whatever the load.

mod figures;
mod memory;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Catalog, Dialect};
use connect::{ConnectError, Connector, Limits, Value};
use fastrand::Rng;
use guard::{AuditLog, AuditOptions, GuardError, Policy, PolicyConfig};
use tokio::runtime::Runtime;

use self::figures::{Figures, Kind};
use self::memory::{Memory, Seen};
use crate::databases::{Database, Engine, LARGE_STACK, POSTGRES, SQLITE};
use crate::statements::{Nature, Statements};

/// Seconds of a run.
const SECONDS: &str = "PERIPLUS_TEST_SECONDS";
const FEW_SECONDS: u64 = 5;

const CALLERS: usize = 64;
/// How many times as long honest statements may take while one other doesn't end, where it was up to four times on two
/// busy cores, and what may come on top by chance.
const MOST_DELAY: u32 = 12;
const CHANCE: Duration = Duration::from_millis(500);
/// What a process may come to hold beyond half as much again: the allocator keeps some for every thread.
const MEMORY_ALLOWANCE: u64 = 32 << 20;
/// The same in a short run, beside which other tests of the same process hold memory too.
const SHARED_ALLOWANCE: u64 = 512 << 20;

/// What runs and has an answer.
const HONEST: &[&str] = &[
    "SELECT count(*) FROM orders",
    "SELECT full_name, country FROM customers WHERE country = 'US' ORDER BY full_name",
    "SELECT c.full_name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.full_name ORDER BY 2 DESC",
    "SELECT o.status, count(*) FROM orders o GROUP BY o.status ORDER BY 2 DESC, 1",
    "WITH paid AS (SELECT * FROM orders WHERE status = 'paid') SELECT sku, sum(quantity) FROM order_lines l JOIN paid p ON p.order_id = l.order_id GROUP BY sku ORDER BY sku",
    "SELECT order_id, sum(quantity) OVER (PARTITION BY order_id ORDER BY line) FROM order_lines ORDER BY order_id, line",
    "SELECT name FROM employees WHERE manager_id IN (SELECT employee_id FROM employees WHERE manager_id IS NULL) ORDER BY name",
    "WITH RECURSIVE up(id, boss) AS (SELECT employee_id, manager_id FROM employees WHERE name = 'Hal' UNION ALL SELECT e.employee_id, e.manager_id FROM employees e JOIN up ON e.employee_id = up.boss) SELECT count(*) FROM up",
    "SELECT country, count(*) FROM customers GROUP BY country HAVING count(*) > 1",
    "SELECT order_id, customer_id, total FROM paid_orders WHERE total > 50 ORDER BY total",
];

/// What names things that aren't there.
const WRONG: &[&str] = &[
    "SELECT totl FROM orders",
    "SELECT count(*) FROM ordrs",
    "SELECT c.fullname FROM customers c",
    "SELECT o.total FROM orders x",
    "SELECT cuont(*) FROM orders",
    "SELECT full_name FROM customers WHERE contry = 'US'",
    "SELECT sku FROM orders",
    "SELECT FROM WHERE",
    "SELECT salary FROM employees",
];

/// What the guard lets through, and no engine ends in time.
const ENDLESS: &[&str] = &[
    "SELECT max(a.quantity + t.line) FROM order_lines a, order_lines b, order_lines c, order_lines d, order_lines e, order_lines f, \
     order_lines g, order_lines h, order_lines i, order_lines j, order_lines k, order_lines l, order_lines m, order_lines n, \
     order_lines o, order_lines p, order_lines q, order_lines r, order_lines s, order_lines t",
    "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, orders i, orders j, orders k, \
     orders l, orders m, orders n, orders o, orders p, orders q, orders r, orders s, orders t",
];

#[test]
fn sqlite_serves_many_callers() {
    serves_many(&SQLITE);
}

#[test]
fn postgres_serves_many_callers() {
    serves_many(&POSTGRES);
}

/// What all callers have in common.
struct Common {
    connector: Box<dyn Connector>,
    catalog: Catalog,
    policy: Policy,
    limits: Limits,
    /// The honest statements with their rows.
    honest: Vec<(&'static str, Vec<Vec<Value>>)>,
    hostile: Vec<String>,
}

/// Callers of one sort at a time.
#[derive(Clone, Copy)]
struct Phase {
    name: &'static str,
    /// Callers with a mixture of statements.
    mixed: usize,
    /// Callers with statements that don't end, and nothing else.
    endless: usize,
    /// How long a caller waits at most between two statements, as if it read what it got.
    pause: Duration,
}

const PAUSE: Duration = Duration::from_millis(200);

const ALONE: Phase = Phase { name: "alone", mixed: 1, endless: 0, pause: Duration::ZERO };
const TOGETHER: Phase = Phase { name: "together", mixed: CALLERS, endless: 0, pause: PAUSE };
const ONE_ENDLESS: Phase = Phase { name: "with one endless", mixed: CALLERS - 1, endless: 1, pause: PAUSE };
/// Twice as many as a pool has connections.
const MANY_ENDLESS: Phase = Phase { name: "with eight endless", mixed: CALLERS - 8, endless: 8, pause: PAUSE };

/// All of it three times, so that the memory held in the last third is that of the same work as in the first.
const ROUNDS: u32 = 3;
const PHASES: [Phase; 4] = [ALONE, TOGETHER, ONE_ENDLESS, MANY_ENDLESS];

fn serves_many(engine: &'static Engine) {
    let Some(database) = Database::of(engine) else { return };
    let seconds = std::env::var(SECONDS).map_or(FEW_SECONDS, |text| text.parse().unwrap());
    let time = Duration::from_secs(seconds);
    let record = tempfile::tempdir().unwrap();
    let options = AuditOptions { chain: true, ..AuditOptions::default() };
    let log = Arc::new(AuditLog::new(&record.path().join("audit.jsonl"), options));
    // The usual limit, where there is time for it; never so short that waiting for eight endless ones takes all of it.
    let limits = Limits { timeout: Duration::from_secs((seconds / 5).clamp(2, 10)), ..Limits::default() };
    // For the reason that `on_a_large_stack` has.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_stack_size(LARGE_STACK).build().unwrap();
    let common = Arc::new(common(&database, &runtime, log.clone(), limits));
    let mut figures = PHASES.map(|_| Figures::default());
    let memory = Memory::watched(time / 60);
    for _ in 0..ROUNDS {
        for (phase, figures) in PHASES.iter().zip(&mut figures) {
            figures.add(run(&runtime, &common, *phase, time / ROUNDS / 4));
        }
    }
    let memory = memory.seen();
    for (phase, figures) in PHASES.iter().zip(&figures) {
        eprintln!("{}, {}: {figures}", engine.name, phase.name);
    }
    eprintln!("{}, memory in MB: {memory}", engine.name);
    assert_eq!(log.verify(None).unwrap().broken, None);
    judge(&figures, &memory);
}

/// Whether all of that may be so. Eight endless statements are only looked at: that everybody got what they should, in
/// the end, is part of the complaints.
fn judge([alone, together, one_endless, many_endless]: &[Figures; 4], memory: &Seen) {
    for figures in [alone, together, one_endless, many_endless] {
        let complaints = &figures.complaints;
        assert!(complaints.is_empty(), "{} complaints, one of them: {}", complaints.len(), complaints[0]);
        assert!(figures.count_of(Kind::Honest) > 0, "no honest statement came through");
    }
    let honest = |figures: &Figures, of_hundred| figures.percentile(Kind::Honest, of_hundred);
    // Everybody may have to wait for everybody else once, and for as much again that nobody knows of.
    let (expected, found) = (honest(alone, 50) * 2 * u32::try_from(CALLERS).unwrap() + CHANCE, honest(together, 50));
    assert!(found <= expected, "together half of the callers wait {found:?} or more, of at most {expected:?}");
    for of_hundred in [50, 99] {
        let (expected, found) = (honest(together, of_hundred) * MOST_DELAY + CHANCE, honest(one_endless, of_hundred));
        assert!(
            found <= expected,
            "with one endless statement {of_hundred} % wait up to {found:?}, of at most {expected:?}"
        );
    }
    let (first, last) = memory.thirds();
    let allowance = if std::env::var_os(SECONDS).is_some() { MEMORY_ALLOWANCE } else { SHARED_ALLOWANCE };
    assert!(last <= first / 2 * 3 + allowance, "{last} bytes are held at last, and {first} at first");
}

fn common(database: &Database, runtime: &Runtime, log: Arc<AuditLog>, limits: Limits) -> Common {
    let connector = connect::connect("spec", &database.dsn()).unwrap();
    // What never ends is to run into the time limit here, not into the ceiling of costs.
    let config = PolicyConfig { max_estimated_rows: 0, ..PolicyConfig::default() };
    let policy = Policy::new(config).unwrap().recorded_in(log);
    let catalog = database.catalog.clone();
    let rows = |sql: &&'static str| {
        let asked = guard::run(sql, &catalog, connector.as_ref(), &policy, &limits);
        let answer = runtime.block_on(asked).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert!(!answer.result.rows.is_empty(), "{sql}");
        (*sql, answer.result.rows)
    };
    let honest = HONEST.iter().map(rows).collect();
    let statements = Statements::of(&Dialect::from_name(database.engine.dialect), &PathBuf::from("nowhere"));
    let cases = (0..3000).map(|number| statements.case(number));
    let hostile = cases.filter(|case| case.nature == Nature::Hostile).map(|case| case.sql).collect();
    Common { connector, catalog, policy, limits, honest, hostile }
}

/// Runs one part, and waits until every caller has its last answer.
fn run(runtime: &Runtime, common: &Arc<Common>, phase: Phase, time: Duration) -> Figures {
    let started = Instant::now();
    let callers: Vec<_> = (0..phase.mixed + phase.endless)
        .map(|number| {
            let (common, rng) = (Arc::clone(common), Rng::with_seed(number as u64));
            let pause = (number < phase.mixed).then_some(phase.pause);
            runtime.spawn(caller(common, rng, pause, started + time))
        })
        .collect();
    let mut all = Figures::default();
    for caller in callers {
        // A panic of a caller comes out here.
        all.add(runtime.block_on(caller).unwrap());
    }
    all.lasted(started.elapsed());
    all
}

/// Sends one statement after the other; without a pause, those that don't end.
async fn caller(common: Arc<Common>, mut rng: Rng, pause: Option<Duration>, until: Instant) -> Figures {
    let mut figures = Figures::default();
    while Instant::now() < until {
        let kind = match rng.u8(0..10) {
            _ if pause.is_none() => Kind::Endless,
            0..6 => Kind::Honest,
            6..8 => Kind::Wrong,
            _ => Kind::Hostile,
        };
        common.call(kind, &mut rng, &mut figures).await;
        if let Some(pause) = pause {
            tokio::time::sleep(pause.mul_f64(rng.f64())).await;
        }
    }
    figures
}

impl Common {
    async fn call(&self, kind: Kind, rng: &mut Rng, figures: &mut Figures) {
        let place = rng.usize(0..usize::MAX);
        let sql = match kind {
            Kind::Honest => self.honest[place % self.honest.len()].0,
            Kind::Wrong => WRONG[place % WRONG.len()],
            Kind::Hostile => &self.hostile[place % self.hostile.len()],
            Kind::Endless => ENDLESS[place % ENDLESS.len()],
        };
        let started = Instant::now();
        let answer = guard::run(sql, &self.catalog, self.connector.as_ref(), &self.policy, &self.limits).await;
        let took = started.elapsed();
        let complaint = match (kind, &answer) {
            (Kind::Honest, Ok(answer)) if answer.result.rows == self.honest[place % self.honest.len()].1 => None,
            (Kind::Wrong | Kind::Hostile, Err(GuardError::Refused(verdict)))
                if verdict.errors().any(|finding| finding.code != "engine_refuses") =>
            {
                None
            }
            (Kind::Endless, Err(GuardError::Connect(ConnectError::Timeout { .. }))) => None,
            (_, Ok(answer)) => Some(format!("{kind:?}: {sql}: {:?}", answer.result.rows)),
            (_, Err(error)) => Some(format!("{kind:?}: {sql}: {error:?}")),
        };
        figures.count(kind, took, complaint);
    }
}
