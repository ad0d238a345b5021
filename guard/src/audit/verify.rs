//! Whether the record is as it was written, and if not, what was done to it.
//!
//! Lines are told apart by their seals, what is missing by their numbers, and what is missing at the ends by the anchor.
//! The first thing found is named; what a crash has left is said and is nothing wrong.
//!
//! Invariant: what can't be noticed, for want of a key or an anchor, is said in [`AuditCheck::unnoticed`] and not skipped.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::anchor::{Anchor, Found};
use super::seal::{SealKind, Sealed, read_seal};
use super::{AuditLog, AuditOptions};
use crate::error::GuardError;

/// What checking a record has found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditCheck {
    /// Files there are.
    pub files: usize,
    /// Lines read, up to the first that is wrong.
    pub lines: u64,
    /// Those of them that are sealed.
    pub chained: u64,
    /// Lines that a crash has left half-written; nothing is wrong with them.
    pub half_written: Vec<AuditPlace>,
    /// The first that is not what was written.
    pub broken: Option<BrokenRecord>,
    /// Lines and head, to be compared with what was sent to the system's log, where the anchor is there.
    pub head: Option<String>,
    /// What it may mean that the configured anchor isn't there, where it needn't be.
    pub no_anchor: Option<&'static str>,
    /// What couldn't have been noticed, as the record is kept.
    pub unnoticed: &'static str,
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditPlace {
    /// Its file.
    pub file: PathBuf,
    /// Its number in the file, from 1; 0 for the file as a whole.
    pub line: u64,
}

/// Something that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenRecord {
    /// What was done.
    pub kind: Manipulation,
    /// Where.
    #[serde(flatten)]
    pub place: AuditPlace,
    /// The same in words.
    pub reason: &'static str,
}

/// What can be done to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Manipulation {
    /// A line was changed.
    Changed,
    /// Lines were taken out.
    Removed,
    /// A line was put in.
    Inserted,
    /// Lines stand in another order.
    Reordered,
    /// Lines at the end are gone.
    CutEnd,
    /// A file is gone.
    DeletedFile,
    /// Seals were made anew, without the key or beside the anchor.
    Recomputed,
    /// Lines stand where the key was to be used, and it wasn't.
    Unsealed,
    /// The anchor is gone.
    AnchorMissing,
    /// The anchor was changed.
    AnchorChanged,
    /// The anchor is older than it can be.
    AnchorBehind,
}

impl Manipulation {
    fn reason(self) -> &'static str {
        match self {
            Self::Changed => "the line isn't what was written",
            Self::Removed => "lines before it are missing",
            Self::Inserted => "the line was put in: the record goes on behind it as if it weren't there",
            Self::Reordered => "the line stands in another place than it was written in",
            Self::CutEnd => "the anchor knows of lines behind the last one: the end was cut off",
            Self::DeletedFile => "a file of the record is gone, with all its lines",
            Self::Recomputed => "from here on the seals were made anew, or with another key",
            Self::Unsealed => "the line has no seal of the kind that is configured, and should have",
            Self::AnchorMissing => "there is no anchor, and there are lines that were anchored",
            Self::AnchorChanged => "the last anchor isn't what was written",
            Self::AnchorBehind => "the record has more lines than can have been written since the last anchor",
        }
    }
}

enum LineForm {
    Sealed(Sealed),
    /// JSON without a seal.
    Plain,
    /// No JSON; whether the file ends in it without a line end.
    Torn {
        is_end: bool,
    },
}

struct Line {
    /// The position of its file.
    file: usize,
    number: u64,
    form: LineForm,
}

/// What the next line has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    number: u64,
    before: String,
}

impl Expected {
    fn is_met_by(&self, sealed: &Sealed) -> bool {
        sealed.is_own && sealed.number == self.number && sealed.before.as_deref() == Some(&self.before)
    }
}

pub(super) fn verify(log: &AuditLog, given: Option<&Anchor>) -> Result<AuditCheck, GuardError> {
    let files = log.files();
    let mut check = AuditCheck { files: files.len(), unnoticed: unnoticed(log), ..AuditCheck::default() };
    let mut lines = Vec::new();
    for (file, path) in files.iter().enumerate() {
        let text = log.read(path)?;
        let total = text.lines().count();
        for (line, number) in text.lines().zip(1_usize..) {
            let is_end = number == total && !text.ends_with('\n');
            let form = match read_seal(line, log.options.key.as_ref()) {
                Some(sealed) => LineForm::Sealed(sealed),
                None if serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object()) => LineForm::Plain,
                None => LineForm::Torn { is_end },
            };
            lines.push(Line { file, number: number as u64, form });
        }
    }
    let place = |line: &Line| AuditPlace { file: files[line.file].clone(), line: line.number };
    let walked = walk(&lines, &log.options, &mut check, &place);
    let end = AuditPlace { file: log.path.clone(), line: 0 };
    check.broken = match walked {
        Err((kind, at)) => Some((kind, place(&lines[at]))),
        Ok(expected) => compare_with_anchor(log, given, &lines, expected.as_ref(), &mut check)?
            .map(|(kind, at)| (kind, at.map_or(end, |at| place(&lines[at])))),
    }
    .map(|(kind, place)| BrokenRecord { kind, place, reason: kind.reason() });
    Ok(check)
}

const NO_ANCHOR: &str = "there is no anchor: too little has been recorded for one, or the record and its anchor were both deleted, which nothing \
     here can tell";

/// What nothing in this record could show.
fn unnoticed(log: &AuditLog) -> &'static str {
    let AuditOptions { chain, key, anchor, .. } = &log.options;
    match (*chain, key.is_some(), anchor.is_some()) {
        (_, true, true) => {
            "not noticed: changes by somebody who holds the key, and a record that was deleted, or put back in an older state, together with its anchor"
        }
        (_, true, false) => "not noticed without an anchor: a cut end, and a deleted record",
        (_, false, true) => {
            "not noticed without a key: changes by somebody who can write both the record and its anchor"
        }
        (true, false, false) => {
            "not noticed without a key and an anchor: a chain made anew, a cut end, and a deleted record"
        }
        (false, false, false) => {
            "not noticed, since lines are not sealed: anything that was changed, removed or added and is still JSON"
        }
    }
}

type Wrong = (Manipulation, usize);

/// Goes from line to line; what the line after the last one would have to say.
fn walk(
    lines: &[Line],
    options: &AuditOptions,
    check: &mut AuditCheck,
    place: &impl Fn(&Line) -> AuditPlace,
) -> Result<Option<Expected>, Wrong> {
    let kind = SealKind::of(options.key.as_ref());
    let mut expected: Option<Expected> = None;
    let mut is_keyed = false;
    for (at, line) in lines.iter().enumerate() {
        match &line.form {
            LineForm::Plain if expected.is_some() => return Err((unsealed(lines, at, expected.as_ref()), at)),
            LineForm::Plain => {}
            LineForm::Torn { is_end } => {
                let goes_on = next_sealed(lines, at).map(|next| is_next(expected.as_ref(), next));
                // What a crash left is followed by a line that continues what was before it, or by nothing.
                match goes_on.unwrap_or(*is_end || expected.is_none()) {
                    true => check.half_written.push(place(line)),
                    false => return Err((unsealed(lines, at, expected.as_ref()), at)),
                }
            }
            LineForm::Sealed(sealed) => {
                if is_keyed && sealed.kind == SealKind::Hash {
                    return Err((unsealed(lines, at, expected.as_ref()), at));
                }
                judge(lines, at, sealed, expected.as_ref(), options)?;
                is_keyed |= sealed.kind == SealKind::Keyed;
                expected = Some(Expected { number: sealed.number + 1, before: sealed.seal.clone() });
                check.chained += 1;
            }
        }
        check.lines += u64::from(!matches!(line.form, LineForm::Torn { .. }));
    }
    // A record that was kept without a key before has its keyed lines behind the others.
    let must_be_keyed = kind == SealKind::Keyed && !is_keyed;
    match lines.iter().rposition(|line| !matches!(line.form, LineForm::Torn { .. })) {
        Some(last) if must_be_keyed => Err((Manipulation::Unsealed, last)),
        _ => Ok(expected),
    }
}

/// Whether a line with a seal is the next one.
fn judge(
    lines: &[Line],
    at: usize,
    sealed: &Sealed,
    expected: Option<&Expected>,
    options: &AuditOptions,
) -> Result<(), Wrong> {
    // Keyed lines read without their key: only what they say of each other can be compared.
    let is_unread = sealed.kind == SealKind::Keyed && options.key.is_none();
    if !sealed.is_own && !is_unread {
        return Err(not_its_own(lines, at, expected));
    }
    let Some(expected) = expected else {
        let files = lines.last().map_or(0, |last| last.file + 1);
        // The oldest file is only ever removed when there are too many.
        let may_have_moved = files + 1 >= options.files;
        return if sealed.number == 0 || may_have_moved { Ok(()) } else { Err((Manipulation::DeletedFile, at)) };
    };
    let is_next = sealed.number == expected.number && sealed.before.as_deref() == Some(&expected.before);
    if is_next {
        return Ok(());
    }
    let others = || lines.iter().enumerate().filter(|(other, _)| *other != at).filter_map(|(_, line)| line.sealed());
    let follows_another = others().any(|other| sealed.before.as_deref() == Some(&other.seal));
    let is_there_twice = others().any(|other| other.seal == sealed.seal);
    let goes_on_without = next_sealed(lines, at).is_some_and(|next| expected.is_met_by(next));
    // Two lines that follow the same one: the record goes on behind the other of them.
    let forks = lines[..at].iter().position(|line| line.sealed().is_some_and(|other| other.before == sealed.before));
    if let Some(fork) = forks.filter(|_| !is_there_twice) {
        return Err((Manipulation::Inserted, if goes_on_without { at } else { fork }));
    }
    Err(if goes_on_without && (is_there_twice || !follows_another) {
        (Manipulation::Inserted, at)
    } else if follows_another && !is_there_twice {
        (Manipulation::Reordered, at)
    } else if is_there_twice {
        (Manipulation::Inserted, at)
    } else if sealed.number > expected.number {
        let begins_file = at > 0 && lines[at - 1].file != lines[at].file;
        (if begins_file { Manipulation::DeletedFile } else { Manipulation::Removed }, at)
    } else if sealed.number == expected.number {
        // Its own seal is right and what it follows isn't there: the line before was written anew.
        (Manipulation::Changed, at.saturating_sub(1))
    } else {
        (Manipulation::Inserted, at)
    })
}

/// What was done where a seal isn't the line's own.
fn not_its_own(lines: &[Line], at: usize, expected: Option<&Expected>) -> Wrong {
    let rest: Vec<&Sealed> = lines[at..].iter().filter_map(Line::sealed).collect();
    let next = rest.iter().skip(1).find(|sealed| sealed.is_own);
    match (next, expected) {
        (Some(next), Some(expected)) if expected.is_met_by(next) => (Manipulation::Inserted, at),
        (None, _) if rest.len() > 1 => (Manipulation::Recomputed, at),
        _ => (Manipulation::Changed, at),
    }
}

/// What was done where a line has no seal, or not the right one.
fn unsealed(lines: &[Line], at: usize, expected: Option<&Expected>) -> Manipulation {
    // Behind keyed lines a plain seal is none.
    let is_keyed = lines[..at].iter().any(|line| line.sealed().is_some_and(|sealed| sealed.kind == SealKind::Keyed));
    let next = next_sealed(lines, at).filter(|next| !is_keyed || next.kind == SealKind::Keyed);
    match (next, expected) {
        (Some(next), Some(expected)) if expected.is_met_by(next) => Manipulation::Inserted,
        (Some(next), Some(expected)) if next.is_own && next.number == expected.number + 1 => Manipulation::Changed,
        (None, Some(_)) if matches!(lines[at].form, LineForm::Torn { .. }) => Manipulation::Changed,
        _ => Manipulation::Unsealed,
    }
}

fn is_next(expected: Option<&Expected>, next: &Sealed) -> bool {
    expected.is_none_or(|expected| expected.is_met_by(next) || (!next.is_own && next.number == expected.number))
}

fn next_sealed(lines: &[Line], at: usize) -> Option<&Sealed> {
    lines[at + 1..].iter().find_map(Line::sealed)
}

impl Line {
    fn sealed(&self) -> Option<&Sealed> {
        match &self.form {
            LineForm::Sealed(sealed) => Some(sealed),
            LineForm::Plain | LineForm::Torn { .. } => None,
        }
    }
}

/// Holds the ends of the record against the anchor.
fn compare_with_anchor(
    log: &AuditLog,
    given: Option<&Anchor>,
    lines: &[Line],
    expected: Option<&Expected>,
    check: &mut AuditCheck,
) -> Result<Option<(Manipulation, Option<usize>)>, GuardError> {
    let count = expected.map_or(0, |expected| expected.number);
    let found = match (given, &log.options.anchor) {
        (Some(given), _) => Found::Anchor(given.clone()),
        (None, None) => return Ok(None),
        (None, Some(place)) => place.read(log.options.key.as_ref()).map_err(|source| log.anchor_error(source))?,
    };
    let sealed = |number: u64| {
        lines.iter().enumerate().find(|(_, line)| line.sealed().is_some_and(|sealed| sealed.number == number))
    };
    let last = lines.len().checked_sub(1);
    let anchor = match found {
        Found::Anchor(anchor) => anchor,
        Found::Missing if count >= log.options.anchor_every => return Ok(Some((Manipulation::AnchorMissing, None))),
        Found::Missing => {
            check.no_anchor = Some(NO_ANCHOR);
            return Ok(None);
        }
        Found::Changed => return Ok(Some((Manipulation::AnchorChanged, None))),
        Found::Elsewhere => {
            check.head = expected.map(|expected| format!("{}:{}", expected.number, expected.before));
            return Ok(None);
        }
    };
    if count < anchor.count {
        let kind = if log.path.exists() { Manipulation::CutEnd } else { Manipulation::DeletedFile };
        return Ok(Some((kind, last)));
    }
    let first = lines.iter().find_map(Line::sealed).map_or(0, |first| first.number);
    // Since the anchor, no more can have been removed than a file in its turn.
    if first > anchor.first && log.files().len() + 1 < log.options.files {
        return Ok(Some((Manipulation::DeletedFile, Some(0))));
    }
    if anchor.count > 0 {
        let head = sealed(anchor.count - 1);
        let is_head = head.is_some_and(|(_, line)| line.sealed().is_some_and(|line| line.seal == anchor.head));
        if !is_head {
            return Ok(Some((Manipulation::Recomputed, head.map(|(at, _)| at).or(last))));
        }
    }
    let window = if given.is_some() { u64::MAX } else { log.options.anchor_every };
    Ok((count - anchor.count > window).then_some((Manipulation::AnchorBehind, last)))
}
