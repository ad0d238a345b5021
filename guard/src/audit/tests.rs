#![allow(clippy::unwrap_used)]
mod manipulations;

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::{
    ASKER_BYTES, AnchorPlace, AuditKey, AuditLog, AuditOptions, BLOCK_BYTES, Purpose, STATEMENT_BYTES, Tail, begun,
};
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
    let lines = log.last(Tail::of(3), |_| true).unwrap();
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
fn a_record_is_read_from_its_end_as_far_as_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let options = AuditOptions { max_bytes: 3 * BLOCK_BYTES, files: 9, ..AuditOptions::default() };
    let log = AuditLog::new(&path, options);
    // Lines of all lengths, so that blocks end within them.
    let long = "ü".repeat(STATEMENT_BYTES / 2);
    for number in 0..100 {
        let sql = format!("{number} {}", &long[..2 * (number * 137 % 4_900)]);
        log.verdict(Purpose::Run, &Asker::default(), "shop", &sql, &accepted()).unwrap();
    }
    let number = |line: &String| -> usize {
        let record: Value = serde_json::from_str(line).unwrap();
        record["sql"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    let numbers = |tail: Tail| -> Vec<usize> { log.last(tail, |_| true).unwrap().iter().map(number).collect() };
    assert!(log.files().len() > 2, "one file is read");
    assert_eq!(numbers(Tail::of(1_000)), (0..100).collect::<Vec<_>>());
    assert_eq!(numbers(Tail::of(0)), Vec::<usize>::new());
    assert_eq!(numbers(Tail::of(60)), (40..100).collect::<Vec<_>>());
    let even = log.last(Tail::of(3), |line| number(&line.to_owned()).is_multiple_of(2)).unwrap();
    assert_eq!(even.iter().map(number).collect::<Vec<_>>(), [94, 96, 98]);

    let all: Vec<usize> = log.last(Tail::of(100), |_| true).unwrap().iter().map(String::len).collect();
    let last_three = all[97..].iter().sum();
    assert_eq!(numbers(Tail { bytes: last_three, ..Tail::of(100) }), [97, 98, 99]);
    assert_eq!(numbers(Tail { bytes: last_three + 1, ..Tail::of(100) }), [96, 97, 98, 99]);
    let searched = Tail { searched_bytes: last_three, ..Tail::of(100) };
    let none = log.last(searched, |line| number(&line.to_owned()) < 97).unwrap();
    assert_eq!(none, Vec::<String>::new());
}

#[test]
fn of_a_long_statement_the_beginning_and_what_it_was_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::new(&folder.path().join("audit.jsonl"), AuditOptions::default());
    let sql = format!("SELECT '{}'", "\u{1}".repeat(STATEMENT_BYTES));
    let asker = Asker { question: "?".repeat(ASKER_BYTES + 1), ..Asker::default() };
    log.verdict(Purpose::Run, &asker, "shop", &sql, &accepted()).unwrap();
    log.verdict(Purpose::Run, &Asker::default(), "shop", "SELECT 1", &accepted()).unwrap();
    let lines = log.last(Tail::of(2), |_| true).unwrap();
    assert!(lines[0].len() < STATEMENT_BYTES + ASKER_BYTES + 1_000, "{}", lines[0].len());
    let records: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown = records[0]["sql"].as_str().unwrap();
    assert!(shown.len() > STATEMENT_BYTES / 7 && sql.starts_with(shown), "{}", shown.len());
    assert_eq!(records[0]["sql_bytes"], sql.len());
    // By another program.
    assert_eq!(records[0]["sql_sha256"], "388e72fa10569811726ce01c4044d174899fc2773ddfbc69c5a8a4c7a6266094");
    assert_eq!(records[0]["question"].as_str().unwrap().len(), ASKER_BYTES);
    assert!(records[1].get("sql_bytes").is_none() && records[1].get("sql_sha256").is_none(), "{}", records[1]);
}

#[test]
fn a_beginning_takes_no_more_bytes_in_json_than_it_may() {
    for text in ["plain", "\"quoted\"", "a\\b", "line\nend\t", "\u{1}\u{1f}\u{7f}", "äöü", "日本", "🦀🦀", ""]
    {
        for most in 0..20 {
            let shown = begun(text, most);
            assert!(text.starts_with(shown));
            let written = serde_json::to_string(shown).unwrap();
            assert!(written.len() - 2 <= most, "{written} takes more than {most}");
        }
        assert_eq!(begun(text, 100), text);
    }
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
    let lines = log.last(Tail::of(9), |_| true).unwrap();
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
