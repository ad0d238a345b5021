#![allow(clippy::unwrap_used)]
mod manipulations;

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::{AnchorPlace, AuditKey, AuditLog, AuditOptions, Purpose};
use crate::finding::Verdict;
use crate::policy::Asker;

fn accepted() -> Verdict {
    crate::check("SELECT 1", &catalog::Catalog::default(), "shop", &crate::Policy::default(), None)
}

pub(super) fn key(number: u8) -> AuditKey {
    AuditKey::new(&[b'a' + number; 40]).unwrap()
}

pub(super) fn write(log: &AuditLog, statements: u32) {
    for number in 0..statements {
        let sql = format!("SELECT {number} AS \"ä\"");
        let id = log.verdict(Purpose::Run, &Asker::default(), "shop", &sql, &accepted()).unwrap();
        log.outcome(&id, Ok((1, false)), Duration::from_millis(3)).unwrap();
    }
}

#[test]
fn a_statement_is_recorded_before_and_after_it_ran() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::new(&folder.path().join("audit.jsonl"), AuditOptions::default());
    write(&log, 2);
    let lines = log.last(3, |_| true).unwrap();
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["event"], &lines[0]["rows"]), (&"outcome".into(), &1.into()));
    assert_eq!((&lines[1]["sql"], &lines[1]["decision"]), (&"SELECT 1 AS \"ä\"".into(), &"accept".into()));
    assert_eq!(lines[1]["id"], lines[2]["id"]);
    assert_ne!(lines[0]["id"], lines[2]["id"]);
}

#[test]
fn files_are_moved_aside_and_the_chain_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let options = AuditOptions { chain: true, max_bytes: 2000, files: 3, ..AuditOptions::default() };
    write(&AuditLog::new(&path, options.clone()), 2);
    let log = AuditLog::new(&path, options);
    write(&log, 20);
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with("lock"));
    assert!(names.len() <= 3, "{names:?}");
    let check = log.verify(None).unwrap();
    assert!(check.broken.is_none() && check.lines > 5 && check.chained == check.lines, "{check:?}");
}

#[test]
fn a_line_that_a_crash_cut_off_stays_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = AuditLog::new(&path, AuditOptions::default());
    write(&log, 1);
    let mut text = fs::read_to_string(&path).unwrap();
    text.truncate(text.len() - 20);
    fs::write(&path, &text).unwrap();
    write(&log, 1);
    let lines = log.last(9, |_| true).unwrap();
    assert_eq!(lines.len(), 4);
    assert!(lines[2..].iter().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let check = log.verify(None).unwrap();
    assert_eq!((check.broken, check.half_written.len(), check.half_written[0].line), (None, 1, 2));
}

#[test]
fn several_writers_keep_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let anchor = Some(AnchorPlace::File(folder.path().join("anchor")));
    let options = AuditOptions { key: Some(key(1)), anchor, anchor_every: 3, ..AuditOptions::default() };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| write(&AuditLog::new(&path, options.clone()), 25));
        }
    });
    let check = AuditLog::new(&path, options).verify(None).unwrap();
    assert_eq!((check.lines, check.chained, check.broken), (200, 200, None));
}
