//! Rows that were handed out before are handed out again only while they are what running the statement would give.

use std::time::Duration;

use connect::{Limits, Value};
use guard::{Answer, Policy, ResultCache};

use crate::databases::{Database, Engine, MARIADB, POSTGRES, SQLITE};

const COUNT: &str = "SELECT count(*) AS n FROM orders";
/// Longer than a file's time may be told wrongly.
const UNTIL_OLD: Duration = Duration::from_millis(2_100);

fn run_again(database: &Database, sql: &str, policy: &Policy, limits: &Limits, cache: &ResultCache) -> Answer {
    let running = guard::run_again(sql, &database.catalog, database.connector.as_ref(), policy, limits, cache);
    database.runtime.block_on(running).unwrap()
}

fn again(database: &Database, sql: &str, cache: &ResultCache) -> Answer {
    run_again(database, sql, &Policy::default(), &Limits::default(), cache)
}

/// Whether its rows are soon those of an earlier run. Others write to the same server meanwhile, which may be in the way.
fn is_soon_kept(database: &Database, sql: &str, cache: &ResultCache) -> bool {
    (0..400).any(|_| again(database, sql, cache).kept_since.is_some())
}

fn rows_are_never_old(engine: &'static Engine) {
    let Some(mut database) = Database::of(engine) else { return };
    let cache = ResultCache::default();
    if !database.runs_on_a_server() {
        // Written to a moment ago, it can't be told from what it is a moment later.
        again(&database, COUNT, &cache);
        assert!(again(&database, COUNT, &cache).kept_since.is_none());
        std::thread::sleep(UNTIL_OLD);
    }
    assert!(is_soon_kept(&database, COUNT, &cache), "{}", engine.name);
    let mut expected = 4;
    for round in 0..30 {
        let order = 100 + round;
        database.alter(&format!("INSERT INTO orders VALUES ({order}, 1, 'paid', 1, '2024-05-05', NULL)"));
        expected += 1;
        for _ in 0..3 {
            let answer = again(&database, COUNT, &cache);
            assert_eq!(answer.result.rows, [[Value::Integer(expected)]], "{}: round {round}", engine.name);
        }
    }
    std::thread::sleep(UNTIL_OLD);
    assert!(is_soon_kept(&database, COUNT, &cache), "{}", engine.name);
    let kept = again(&database, COUNT, &cache);
    assert_eq!(kept.result.rows, [[Value::Integer(expected)]]);
    // What has changed since it was judged is refused as ever.
    database.alter("ALTER TABLE orders ADD COLUMN card VARCHAR(20)");
    let (policy, limits) = (Policy::default(), Limits::default());
    let refused = guard::run_again(COUNT, &database.catalog, database.connector.as_ref(), &policy, &limits, &cache);
    assert!(database.runtime.block_on(refused).is_err());
}

#[test]
fn sqlite_is_never_answered_with_old_rows() {
    rows_are_never_old(&SQLITE);
}

#[test]
fn postgresql_is_never_answered_with_old_rows() {
    rows_are_never_old(&POSTGRES);
}

#[test]
fn what_another_transaction_has_not_committed_is_seen_once_it_has() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    let cache = ResultCache::default();
    for round in 0_i64..20 {
        database.alter("BEGIN");
        database.alter(&format!("INSERT INTO orders VALUES ({}, 1, 'paid', 1, '2024-05-05', NULL)", 200 + round));
        for _ in 0..5 {
            assert_eq!(again(&database, COUNT, &cache).result.rows, [[Value::Integer(4 + round)]]);
        }
        database.alter("COMMIT");
        assert_eq!(again(&database, COUNT, &cache).result.rows, [[Value::Integer(5 + round)]]);
    }
}

#[test]
fn what_the_moment_or_chance_decides_is_run_each_time() {
    let Some(mut database) = Database::of(&SQLITE) else { return };
    database.alter("CREATE VIEW lately AS SELECT * FROM orders WHERE ordered_on > date('now', '-1 year')");
    std::thread::sleep(UNTIL_OLD);
    database.learn(|_| None);
    let cache = ResultCache::default();
    for sql in [
        "SELECT count(*) FROM orders WHERE ordered_on > date('now')",
        "SELECT count(*) FROM orders WHERE ordered_on > date()",
        "SELECT count(*) FROM orders WHERE ordered_on > CURRENT_DATE",
        "SELECT order_id FROM orders ORDER BY random() LIMIT 1",
        "SELECT count(*) FROM lately",
        "SELECT strftime('%Y')",
    ] {
        again(&database, sql, &cache);
        assert!(again(&database, sql, &cache).kept_since.is_none(), "{sql}");
    }
    for sql in ["SELECT count(*) FROM orders WHERE date(ordered_on) > '2024-01-31'", COUNT] {
        again(&database, sql, &cache);
        assert!(again(&database, sql, &cache).kept_since.is_some(), "{sql}");
    }
}

#[test]
fn nobody_is_given_what_another_caller_or_other_limits_brought() {
    let Some(database) = Database::of(&SQLITE) else { return };
    std::thread::sleep(UNTIL_OLD);
    let cache = ResultCache::default();
    let (all, few) = (Limits::default(), Limits { rows: 2, ..Limits::default() });
    let (ann, bob) = (Policy::default().asked_by("ann"), Policy::default().asked_by("bob"));
    let sql = "SELECT order_id FROM orders ORDER BY order_id";
    let of = |policy: &Policy, limits: &Limits| {
        let answer = run_again(&database, sql, policy, limits, &cache);
        (answer.result.rows.len(), answer.kept_since.is_some())
    };
    assert_eq!((of(&ann, &all), of(&ann, &all)), ((4, false), (4, true)));
    assert_eq!((of(&bob, &all), of(&bob, &all)), ((4, false), (4, true)));
    // What was cut is fetched each time.
    assert_eq!((of(&ann, &few), of(&ann, &few)), ((2, false), (2, false)));
    assert_eq!(of(&ann, &all), (4, true));
}

#[test]
fn an_engine_that_does_not_tell_is_asked_each_time() {
    let Some(database) = Database::of(&MARIADB) else { return };
    let cache = ResultCache::default();
    again(&database, COUNT, &cache);
    assert!(again(&database, COUNT, &cache).kept_since.is_none());
}
