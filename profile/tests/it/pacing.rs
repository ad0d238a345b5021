//! How a run behaves beside others' work.

use std::sync::atomic::Ordering;
use std::time::Duration;

use profile::{Options, Summary};
use tokio::time::Instant;

use crate::watched::{Made, Watched, options, run, store};

const TABLES: u32 = 12;

/// Tables that take a tenth of a second each, with others at work for `busy`; how it went, and how long it took.
async fn profiled(busy: Duration, options: Options) -> (Watched, Summary, Duration) {
    let tables = (0..TABLES).map(|number| format!("CREATE TABLE t{number} (v INT); INSERT INTO t{number} VALUES (1);"));
    let made = Made::with(&tables.collect::<String>());
    let started = Instant::now();
    let mut watched = made.watched();
    watched.takes = Duration::from_millis(100);
    watched.busy_until = Some(started + busy);
    let (summary, _) = run(&watched, &store(), &options).await;
    assert_eq!(summary.profiled, 12);
    (watched, summary, started.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_run_gives_way_while_others_work_and_no_longer() {
    let (watched, summary, took) = profiled(Duration::ZERO, options()).await;
    assert_eq!(watched.most_at_once.load(Ordering::Relaxed), 4);
    assert_eq!(summary.rested, Duration::ZERO);
    assert!(took < Duration::from_secs(1), "no longer than it takes to be certain that there are none: {took:?}");

    let (watched, summary, took) = profiled(Duration::from_secs(3600), options()).await;
    assert_eq!(watched.most_at_once.load(Ordering::Relaxed), 1);
    assert!(took >= TABLES * Duration::from_secs(2), "a twentieth of the time: {took:?}");
    assert!(summary.rested >= TABLES * Duration::from_millis(1900), "{summary:?}");

    let (_, summary, took) = profiled(Duration::from_millis(3500), options()).await;
    assert!(summary.rested > Duration::from_secs(3) && took < TABLES * Duration::from_secs(1), "{summary:?} {took:?}");

    let (watched, summary, _) = profiled(Duration::from_secs(3600), Options { give_way: false, ..options() }).await;
    assert_eq!((watched.most_at_once.load(Ordering::Relaxed), summary.rested), (4, Duration::ZERO));
}
