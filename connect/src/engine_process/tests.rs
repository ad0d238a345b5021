//! What a caller makes of processes that do what no engine should, played by a shell.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::time::{Duration, Instant};

use super::{EngineProcesses, EngineProgram};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Limits;
use crate::statement::StatementSession;
use crate::value::Value;

fn limits() -> Limits {
    Limits { timeout: Duration::from_millis(200), ..Limits::default() }
}

/// Opens a statement in a shell that runs this, behind the request that says which database it is.
async fn opened(script: &str) -> Result<Box<dyn StatementSession>, ConnectError> {
    let arguments = ["-c".into(), format!("read database; read open; {script}").into()].into();
    let program = EngineProgram { program: "/bin/sh".into(), arguments };
    EngineProcesses::started_by(program, "s", "sqlite:x.db", "sqlite:x.db").open("SELECT 1", &[], &limits()).await
}

const WORK: &str = r#""work":{"statements":1,"rows_returned":2,"rows_scanned":3}"#;

fn says(reply: &str) -> String {
    format!("echo '{{\"reply\":{reply},{WORK}}}';")
}

fn code<T>(result: Result<T, ConnectError>) -> &'static str {
    result.err().map_or("", |error| error.code())
}

#[tokio::test]
async fn a_process_that_crashes_or_talks_nonsense_costs_its_statement_and_no_more() {
    assert_eq!(code(opened("exit 1").await), "engine_ended");
    assert_eq!(code(opened("kill -SEGV $$").await), "engine_ended");
    assert_eq!(code(opened("echo nonsense; exec sleep 100").await), "engine_ended");
    assert_eq!(code(opened(&says("\"Ended\"")).await), "engine_ended");
    let mut session = opened(&format!("{} read run; exit 1", says("{\"Opened\":[]}"))).await.unwrap();
    assert_eq!(code(session.run().await), "engine_ended");
    assert_eq!(code(session.run().await), "timeout", "there is nobody to ask");
    let error = opened(&says("{\"Failed\":{\"StatementCount\":{\"found\":\"none is\"}}}")).await.err().unwrap();
    assert_eq!(error, ConnectError::StatementCount { found: "none is".into() });
}

#[tokio::test]
async fn a_process_that_goes_on_is_killed_when_the_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("echo $$ > {}; {} read run; exec sleep 100", file.display(), says("{\"Opened\":[]}"));
    let mut session = opened(&script).await.unwrap();
    let pid = std::fs::read_to_string(&file).unwrap();
    let lives =
        || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|stat| !stat.contains(" Z "));
    let started = Instant::now();
    assert_eq!(code(session.run().await), "timeout");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    session.end().await;
    let started = Instant::now();
    while lives() {
        assert!(started.elapsed() < Duration::from_secs(20), "it goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_process_that_holds_too_much_says_so() {
    let mut session =
        opened(&format!("{} read run; {}", says("{\"Opened\":[]}"), says("{\"TooLarge\":3221225472}"))).await;
    let error = session.as_mut().unwrap().run().await.unwrap_err();
    assert_eq!(error.to_string(), "the database reports: Out of Memory: it took more than 3 GB");
}

#[tokio::test]
async fn a_process_that_was_given_back_is_used_again_and_its_work_counted() {
    let opens = says("{\"Opened\":[]}");
    let script = format!("while true; do {opens} read end; {} read open; done", says("\"Ended\""));
    let arguments = ["-c".into(), format!("read database; read open; {script}").into()].into();
    let program = EngineProgram { program: "/bin/sh".into(), arguments };
    let processes = EngineProcesses::started_by(program, "s", "sqlite:x.db", "sqlite:x.db");
    for _ in 0..3 {
        processes.open("SELECT 1", &[], &limits()).await.unwrap().end().await;
    }
    // Each answer says what the process has done in all, which is the same every time.
    assert_eq!(processes.work(), Work { statements: 1, rows_returned: 2, rows_scanned: 3 });
    // One that is dropped isn't.
    drop(processes.open("SELECT 1", &[], &limits()).await.unwrap());
    processes.open("SELECT 1", &[], &limits()).await.unwrap().end().await;
    assert_eq!(processes.work().statements, 2);
}

#[test]
fn values_arrive_as_they_left() {
    for value in [0.1 + 0.2, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE] {
        let text = serde_json::to_string(&Value::Real(value)).unwrap();
        let Value::Real(arrived) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!(arrived.to_bits(), value.to_bits());
    }
}
