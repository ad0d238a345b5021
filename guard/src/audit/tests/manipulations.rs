//! What can be done to a record, each with and without a key and an anchor: found and named, or promised not to be.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::seal::{read_seal, sealed};
use super::super::{Anchor, AnchorPlace, AuditCheck, AuditKey, AuditLog, AuditOptions, Manipulation, beside};
use super::{key, write};
use Manipulation::{
    AnchorBehind, AnchorChanged, AnchorMissing, Changed, CutEnd, DeletedFile, Inserted, Recomputed, Removed, Reordered,
    Unsealed,
};

/// A record of three files with six statements in each or so, and its anchor.
struct Record {
    _folder: tempfile::TempDir,
    path: PathBuf,
    anchor: PathBuf,
    log: AuditLog,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Chained,
    Keyed,
    Anchored,
    Both,
}

const ALL: [Kept; 4] = [Kept::Chained, Kept::Keyed, Kept::Anchored, Kept::Both];

impl Kept {
    fn options(self, anchor: &Path) -> AuditOptions {
        let place = Some(AnchorPlace::File(anchor.to_owned()));
        AuditOptions {
            chain: true,
            key: matches!(self, Self::Keyed | Self::Both).then(|| key(1)),
            anchor: place.filter(|_| matches!(self, Self::Anchored | Self::Both)),
            max_bytes: 4_000,
            files: 9,
            ..AuditOptions::default()
        }
    }
}

impl Record {
    fn new(kept: Kept) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, anchor) = (folder.path().join("audit.jsonl"), folder.path().join("elsewhere"));
        let log = AuditLog::new(&path, kept.options(&anchor));
        write(&log, 20);
        while !path.exists() || lines(&path).len() < 4 {
            write(&log, 1);
        }
        let record = Self { _folder: folder, path, anchor, log };
        assert!(record.aside(2).exists() && record.path.exists(), "three files and a current one");
        assert_eq!(record.check().broken, None);
        record
    }

    fn aside(&self, number: usize) -> PathBuf {
        beside(&self.path, &number.to_string())
    }

    fn check(&self) -> AuditCheck {
        self.log.verify(None).unwrap()
    }

    fn found(&self) -> Option<Manipulation> {
        self.check().broken.map(|broken| broken.kind)
    }

    /// Changes the lines of a file.
    fn edit(&self, file: &Path, change: impl Fn(&mut Vec<String>)) {
        let mut lines = lines(file);
        change(&mut lines);
        fs::write(file, lines.join("\n") + "\n").unwrap();
    }
}

fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

/// All lines sealed anew from one on, by somebody with this key or without one.
fn sealed_anew(lines: &mut [String], from: usize, key: Option<&AuditKey>) {
    let mut before = from.checked_sub(1).and_then(|at| read_seal(&lines[at], None)).map(|sealed| sealed.seal);
    for line in &mut lines[from..] {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let fields = record.as_object_mut().unwrap();
        fields.shift_remove("sha256");
        fields.shift_remove("hmac");
        fields["before"] = json!(before);
        *line = sealed(&record, key);
        before = read_seal(line, None).map(|sealed| sealed.seal);
    }
}

/// Every statement of the record replaced, and every seal made anew.
fn everything_anew(record: &Record, key: Option<&AuditKey>) {
    let files: Vec<PathBuf> = record.log.files();
    let mut all: Vec<String> = files.iter().flat_map(|file| lines(file)).collect();
    all.iter_mut().for_each(|line| *line = line.replace("SELECT", "DELETE"));
    sealed_anew(&mut all, 0, key);
    for file in files.iter().rev() {
        let these = all.split_off(all.len() - lines(file).len());
        fs::write(file, these.join("\n") + "\n").unwrap();
    }
}

type Change = fn(&Record);

/// What is done, and what it is called for a chain, a key, an anchor, and both.
const MANIPULATIONS: &[(&str, Change, [Option<Manipulation>; 4])] = &[
    (
        "a line is changed",
        |record| {
            record
                .edit(&record.aside(1), |lines| lines[2] = lines[2].replace("SELECT", "DELETE").replace("rows", "r0ws"))
        },
        [Some(Changed); 4],
    ),
    (
        "the last line is changed",
        |record| {
            record.edit(&record.path, |lines| {
                let last = lines.len() - 1;
                lines[last] = lines[last].replace("\"at\":\"2", "\"at\":\"1");
            });
        },
        [Some(Changed); 4],
    ),
    (
        "a line loses its seal",
        |record| {
            record.edit(&record.aside(1), |lines| {
                let mut line: Value = serde_json::from_str(&lines[2]).unwrap();
                line.as_object_mut().unwrap().retain(|field, _| field != "sha256" && field != "hmac");
                lines[2] = line.to_string();
            });
        },
        [Some(Changed); 4],
    ),
    ("a line is removed", |record| record.edit(&record.aside(1), |lines| drop(lines.remove(2))), [Some(Removed); 4]),
    (
        "several are removed",
        |record| record.edit(&record.aside(1), |lines| drop(lines.drain(2..5))),
        [Some(Removed); 4],
    ),
    (
        "a line without a seal is put in",
        |record| record.edit(&record.aside(1), |lines| lines.insert(3, "{\"event\":\"verdict\"}".to_owned())),
        [Some(Inserted); 4],
    ),
    (
        "a line is put in with a plain seal",
        |record| {
            record.edit(&record.aside(1), |lines| {
                let before = read_seal(&lines[2], None).unwrap();
                let record = json!({"event": "verdict", "n": before.number + 1, "before": before.seal});
                lines.insert(3, sealed(&record, None));
            });
        },
        [Some(Inserted); 4],
    ),
    (
        "a line of another record is put in",
        |record| {
            let other = Record::new(Kept::Chained);
            let foreign = lines(&other.aside(2))[1].clone();
            record.edit(&record.aside(1), |lines| lines.insert(3, foreign.clone()));
        },
        [Some(Inserted); 4],
    ),
    (
        "a line is written twice",
        |record| record.edit(&record.aside(1), |lines| lines.insert(5, lines[2].clone())),
        [Some(Inserted); 4],
    ),
    ("lines change places", |record| record.edit(&record.aside(1), |lines| lines.swap(2, 3)), [Some(Reordered); 4]),
    (
        "files change places",
        |record| {
            fs::rename(record.aside(1), record.aside(77)).unwrap();
            fs::rename(record.aside(2), record.aside(1)).unwrap();
            fs::rename(record.aside(77), record.aside(2)).unwrap();
        },
        [Some(Reordered); 4],
    ),
    ("a file in the middle is deleted", |record| fs::remove_file(record.aside(1)).unwrap(), [Some(DeletedFile); 4]),
    (
        "the oldest file is deleted",
        |record| {
            let oldest = (1..9).rev().map(|number| record.aside(number)).find(|path| path.exists()).unwrap();
            fs::remove_file(oldest).unwrap();
        },
        [Some(DeletedFile); 4],
    ),
    (
        "the current file is deleted",
        |record| fs::remove_file(&record.path).unwrap(),
        [None, None, Some(DeletedFile), Some(DeletedFile)],
    ),
    (
        "the whole record is deleted",
        |record| {
            (1..9)
                .map(|number| record.aside(number))
                .filter(|path| path.exists())
                .for_each(|path| fs::remove_file(path).unwrap());
            fs::remove_file(&record.path).unwrap();
        },
        [None, None, Some(DeletedFile), Some(DeletedFile)],
    ),
    (
        "the end is cut off",
        |record| record.edit(&record.path, |lines| lines.truncate(lines.len() - 1)),
        [None, None, Some(CutEnd), Some(CutEnd)],
    ),
    (
        "the end is cut off within a line",
        |record| {
            let text = fs::read_to_string(&record.path).unwrap();
            fs::write(&record.path, &text[..text.len() - 30]).unwrap();
        },
        [None, None, Some(CutEnd), Some(CutEnd)],
    ),
    (
        "a line is changed and its seal made anew",
        |record| {
            record.edit(&record.aside(1), |lines| {
                lines[2] = lines[2].replace("shop", "prod").replace("rows", "r0ws");
                sealed_anew(&mut lines[..3], 2, None);
            });
        },
        [Some(Changed); 4],
    ),
    (
        "everything is made anew without the key",
        |record| everything_anew(record, None),
        [None, Some(Unsealed), Some(Recomputed), Some(Unsealed)],
    ),
    (
        "everything is made anew with another key",
        |record| everything_anew(record, Some(&key(2))),
        [None, Some(Recomputed), Some(Recomputed), Some(Recomputed)],
    ),
    (
        "the current file is made anew from its first line on",
        |record| {
            let before = lines(&record.aside(1));
            record.edit(&record.path, |lines| {
                let mut all = vec![before[before.len() - 1].clone()];
                all.extend(lines.iter().map(|line| line.replace("shop", "prod").replace("rows", "r0ws")));
                sealed_anew(&mut all, 1, None);
                *lines = all.split_off(1);
            });
        },
        [None, Some(Unsealed), Some(Recomputed), Some(Unsealed)],
    ),
    (
        "the current file is made anew with another key",
        |record| {
            let before = lines(&record.aside(1));
            record.edit(&record.path, |lines| {
                let mut all = vec![before[before.len() - 1].clone()];
                all.append(lines);
                sealed_anew(&mut all, 1, Some(&key(2)));
                *lines = all.split_off(1);
            });
        },
        // Without a key, what a keyed line says of itself can't be compared.
        [None, Some(Recomputed), Some(Recomputed), Some(Recomputed)],
    ),
    (
        "the anchor is deleted",
        |record| drop(fs::remove_file(&record.anchor)),
        [None, None, Some(AnchorMissing), Some(AnchorMissing)],
    ),
    (
        "the anchor is changed",
        |record| {
            if record.anchor.exists() {
                record.edit(&record.anchor, |lines| {
                    let last = lines.len() - 1;
                    lines[last] = lines[last].replace("\"n\":", "\"n\":1");
                });
            }
        },
        [None, None, Some(AnchorChanged), Some(AnchorChanged)],
    ),
    (
        "the anchor is made anew without the key after the end was cut off",
        |record| {
            record.edit(&record.path, |lines| lines.truncate(lines.len() - 1));
            let last = lines(&record.path).last().map(|line| read_seal(line, None).unwrap()).unwrap();
            let forged = json!({"anchor": last.seal, "n": last.number + 1, "first": 0, "at": "2026-01-01"});
            fs::write(&record.anchor, sealed(&forged, None) + "\n").unwrap();
        },
        [None, None, None, Some(AnchorChanged)],
    ),
    (
        "an older anchor is put back",
        |record| {
            if record.anchor.exists() {
                record.edit(&record.anchor, |lines| lines.truncate(lines.len() - 5));
            }
        },
        [None, None, Some(AnchorBehind), Some(AnchorBehind)],
    ),
];

#[test]
fn every_manipulation_is_named_or_said_to_be_beyond_notice() {
    for (what, change, expected) in MANIPULATIONS {
        for (kept, expected) in ALL.into_iter().zip(expected) {
            let record = Record::new(kept);
            change(&record);
            let check = record.check();
            assert_eq!(check.broken.as_ref().map(|broken| broken.kind), *expected, "{what}, {kept:?}: {check:?}");
            assert!(check.unnoticed.starts_with("not noticed"), "{check:?}");
        }
    }
}

#[test]
fn what_a_crash_has_left_is_no_manipulation() {
    for kept in ALL {
        // Half a line, and nothing behind it; the anchor was not reached.
        let record = Record::new(kept);
        let whole = fs::read_to_string(&record.path).unwrap();
        fs::write(&record.path, format!("{whole}{{\"event\":\"verdict\",\"id\":\"1")).unwrap();
        let check = record.check();
        assert_eq!((check.broken, check.half_written.len()), (None, 1), "{kept:?}");
        // The next process goes on behind it.
        write(&record.log, 1);
        let check = record.check();
        assert_eq!((check.broken, check.half_written.len()), (None, 1), "{kept:?}");
        // A whole line whose anchor was not written.
        if let Some(AnchorPlace::File(anchor)) = &record.log.options.anchor {
            record.edit(anchor, |lines| lines.truncate(lines.len() - 1));
            assert_eq!(record.found(), None, "{kept:?}");
            let text = fs::read_to_string(anchor).unwrap();
            fs::write(anchor, format!("{text}{{\"anchor\":\"12")).unwrap();
            assert_eq!(record.found(), None, "{kept:?}");
            write(&record.log, 1);
            assert_eq!(record.found(), None, "{kept:?}");
        }
    }
}

#[test]
fn the_window_of_loss_is_the_lines_between_anchors() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = AnchorPlace::File(folder.path().join("anchor"));
    let options = AuditOptions { key: Some(key(1)), anchor: Some(anchor), anchor_every: 10, ..AuditOptions::default() };
    let path = folder.path().join("audit.jsonl");
    let log = AuditLog::new(&path, options);
    write(&log, 7);
    let cut = |kept: usize| {
        let lines = lines(&path);
        fs::write(&path, lines[..kept].join("\n") + "\n").unwrap();
        log.verify(None).unwrap().broken.map(|broken| broken.kind)
    };
    assert_eq!((cut(14), cut(12), cut(10)), (None, None, None));
    assert_eq!(cut(9), Some(CutEnd));
}

#[test]
fn files_moved_aside_and_removed_in_their_turn_are_not_missed() {
    for kept in ALL {
        let folder = tempfile::tempdir().unwrap();
        let options = AuditOptions { max_bytes: 1_500, files: 3, ..kept.options(&folder.path().join("anchor")) };
        let log = AuditLog::new(&folder.path().join("audit.jsonl"), options);
        for _ in 0..12 {
            write(&log, 2);
            let check = log.verify(None).unwrap();
            assert_eq!(check.broken, None, "{kept:?}");
        }
        assert!(log.verify(None).unwrap().files <= 3);
    }
}

#[test]
fn a_key_that_comes_later_protects_what_comes_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write(&AuditLog::new(&path, AuditOptions::default()), 2);
    write(&AuditLog::new(&path, AuditOptions { chain: true, ..AuditOptions::default() }), 2);
    let log = AuditLog::new(&path, AuditOptions { key: Some(key(1)), ..AuditOptions::default() });
    assert_eq!(log.verify(None).unwrap().broken.map(|broken| broken.kind), Some(Unsealed), "nothing is protected yet");
    write(&log, 2);
    let check = log.verify(None).unwrap();
    assert_eq!((check.broken, check.lines, check.chained), (None, 12, 8));
    let wrong = AuditLog::new(&path, AuditOptions { key: Some(key(2)), ..AuditOptions::default() });
    assert_eq!(wrong.verify(None).unwrap().broken.map(|broken| broken.kind), Some(Recomputed));
}

#[cfg(unix)]
#[test]
fn the_systems_log_gets_what_verifying_is_held_against() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("log");
    let receiver = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    let path = folder.path().join("audit.jsonl");
    let place = format!("syslog:{}", socket.display()).parse().unwrap();
    let log = AuditLog::new(&path, AuditOptions { key: Some(key(1)), anchor: Some(place), ..AuditOptions::default() });
    write(&log, 2);
    let mut last = String::new();
    for _ in 0..4 {
        let mut bytes = [0; 400];
        let length = receiver.recv(&mut bytes).unwrap();
        last = String::from_utf8_lossy(&bytes[..length]).into_owned();
    }
    assert!(last.starts_with("<86>periplus["), "{last}");
    let said: Anchor = last.rsplit(' ').next().unwrap().parse().unwrap();
    let check = log.verify(None).unwrap();
    assert_eq!((check.broken, check.head), (None, Some(format!("4:{}", said.head))));
    assert_eq!(log.verify(Some(&said)).unwrap().broken, None);
    fs::write(&path, lines(&path)[..3].join("\n") + "\n").unwrap();
    assert_eq!(log.verify(Some(&said)).unwrap().broken.map(|broken| broken.kind), Some(CutEnd));
}

#[test]
fn what_cannot_be_anchored_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = AnchorPlace::File(folder.path().join("no/such/folder/anchor"));
    let options = AuditOptions { anchor: Some(anchor), ..AuditOptions::default() };
    let log = AuditLog::new(&folder.path().join("audit.jsonl"), options);
    let error =
        log.verdict(super::Purpose::Run, &super::Asker::default(), "shop", "SELECT 1", &super::accepted()).unwrap_err();
    assert_eq!(error.code(), "audit_failed");
}

#[test]
fn the_key_shows_nowhere() {
    let record = Record::new(Kept::Both);
    let secret = "b".repeat(40);
    assert!(!format!("{:?}", record.log).contains(&secret) && !format!("{:?}", key(1)).contains("bbb"));
    let everything: String =
        [&record.path, &record.aside(1), &record.anchor].map(|path| fs::read_to_string(path).unwrap()).concat();
    assert!(!everything.contains(&secret) && everything.contains("hmac"));
    let short = AuditKey::new(b"short-secret").unwrap_err();
    assert!(!format!("{short} {short:?}").contains("short-secret"), "{short}");
    assert!(AuditKey::read(&record.path.join("nowhere")).unwrap_err().to_string().contains("nowhere"));
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own/audit.jsonl");
    let anchor = folder.path().join("anchor");
    let options = AuditOptions { anchor: Some(AnchorPlace::File(anchor.clone())), ..AuditOptions::default() };
    write(&AuditLog::new(&path, options), 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&anchor), mode(path.parent().unwrap())), (0o600, 0o600, 0o700));
}
