//! What the record says of a statement whose asker went away.

use std::sync::Arc;
use std::time::Duration;

use catalog::Dialect;
use connect::Limits;
use guard::{AuditLog, AuditOptions, Policy, Tail};
use serde_json::Value;

use crate::fixture::{Fixture, runtime};

/// What the guard lets through, and no engine ends in time.
const ENDLESS: &str = "SELECT max(a.quantity + l.line) FROM order_lines a, order_lines b, order_lines c, order_lines d, \
                       order_lines e, order_lines f, order_lines g, order_lines h, order_lines i, order_lines j, \
                       order_lines k, order_lines l, order_lines m, order_lines n, order_lines o, order_lines p";

#[test]
fn what_was_given_up_is_recorded_as_that() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let folder = tempfile::tempdir().unwrap();
    let log = Arc::new(AuditLog::new(&folder.path().join("audit.jsonl"), AuditOptions::default()));
    let policy = Policy::default().recorded_in(Arc::clone(&log));
    let (connector, limits) = (fixture.connector(), Limits::default());
    let recorded = || -> Vec<Value> {
        let lines = log.last(Tail::of(9), |_| true).unwrap();
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    runtime().block_on(async {
        let running = guard::run(ENDLESS, &catalog, connector.as_ref(), &policy, &limits);
        let begun = async {
            while recorded().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(recorded().len(), 1, "its outcome is recorded before it has one");
        };
        tokio::select! {
            answer = running => panic!("it ended: {:?}", answer.map(|_| ())),
            () = begun => {}
        }
    });
    let records = recorded();
    assert_eq!(records.len(), 2, "{records:?}");
    assert_eq!((&records[0]["event"], &records[0]["decision"]), (&"verdict".into(), &"accept".into()));
    assert_eq!((&records[1]["event"], &records[1]["error"]), (&"outcome".into(), &"given_up".into()));
    assert_eq!(records[0]["id"], records[1]["id"]);
    assert!(records[1].get("rows").is_none(), "{}", records[1]);
}
