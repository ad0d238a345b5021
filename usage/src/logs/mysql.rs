//! The general log and the slow log of MariaDB and MySQL.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use regex::Regex;

use super::lines::time;
use super::{LONGEST_ENTRY, Wanted, Whole};
use crate::statement::Logged;

/// `261128 16:30:00      5 Query    SELECT 1`, `2026-11-28T16:30:00.123456Z     5 Query    SELECT 1`, and the same without a
/// time, where it is that of the entry before.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?<time>\d{6}\s+\d{1,2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\S+)?\s+(?<thread>\d+)\s(?<command>Connect|Query|Execute|Prepare|Quit|Init DB|Change user|Field List|Statistics|Close stmt|Reset stmt|Ping|Binlog Dump|Kill|Daemon|Refresh|Create DB|Drop DB|Long Data|Fetch|Set option|Error)\b[ \t]*(?<text>.*)",
    )
    .expect("the expression is valid")
});

/// `root@localhost on shop using Socket`; the database may be missing.
static CONNECT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?<user>[^@\s]*)@\S*(?: on (?<database>\S+))?").expect("the expression is valid"));

pub(super) fn begins_an_entry(line: &str) -> bool {
    ENTRY.is_match(line)
}

/// What a connection is.
#[derive(Clone, Debug, Default)]
struct Session {
    user: Option<String>,
    database: Option<String>,
}

#[derive(Default)]
struct General {
    sessions: HashMap<String, Session>,
    at: Option<Timestamp>,
    /// The statement whose lines are being read, with its connection.
    open: Option<(String, String)>,
}

impl General {
    fn close(&mut self, wanted: Wanted<'_>, take: &mut dyn FnMut(Logged)) {
        let Some((thread, sql)) = self.open.take() else { return };
        let session = self.sessions.entry(thread).or_default();
        let sql = sql.trim();
        if let Some(database) = database_of_use(sql) {
            session.database = Some(database.to_owned());
            return;
        }
        if wanted.is_of_database(session.database.as_deref()) && !wanted.is_own_role(session.user.as_deref()) {
            take(Logged { user: session.user.clone(), at: self.at, ..Logged::once(sql) });
        }
    }
}

/// The database behind USE.
fn database_of_use(sql: &str) -> Option<&str> {
    let (word, name) = sql.split_once(char::is_whitespace)?;
    word.eq_ignore_ascii_case("use").then(|| name.trim().trim_end_matches(';').trim_matches('`'))
}

pub(super) fn general<R: BufRead>(
    part: &mut Whole<R>,
    wanted: Wanted<'_>,
    take: &mut dyn FnMut(Logged),
) -> io::Result<()> {
    let mut log = General::default();
    let mut read = part.read;
    while let Some(line) = part.line()? {
        let Some(entry) = ENTRY.captures(&line) else {
            if let Some((_, sql)) = log.open.as_mut().filter(|(_, sql)| sql.len() < LONGEST_ENTRY) {
                sql.push_str(&line);
            }
            continue;
        };
        log.close(wanted, take);
        read = part.read - line.len() as u64;
        if let Some(time) = entry.name("time") {
            log.at = time_of(time.as_str());
        }
        let (thread, text) = (entry["thread"].to_owned(), &entry["text"]);
        match &entry["command"] {
            "Query" | "Execute" => log.open = Some((thread, format!("{text}\n"))),
            "Connect" | "Change user" => {
                if let Some(found) = CONNECT.captures(text) {
                    let database = found.name("database").map(|it| it.as_str().to_owned());
                    log.sessions.insert(thread, Session { user: Some(found["user"].to_owned()), database });
                }
            }
            "Init DB" => log.sessions.entry(thread).or_default().database = Some(text.trim().to_owned()),
            "Quit" => drop(log.sessions.remove(&thread)),
            _ => {}
        }
    }
    // The lines of the last entry may go on: it is read once another one follows.
    if log.open.is_some() {
        part.read = read;
    }
    Ok(())
}

/// `# User@Host: root[root] @ localhost []`.
static USER_AT_HOST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^# User@Host:\s*(?<user>[^\[\s]+)").expect("the expression is valid"));
/// `# Thread_id: 5  Schema: shop  QC_hit: No`.
static SCHEMA: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bSchema:\s+(?<database>\S+)").expect("the expression is valid"));

pub(super) fn slow<R: BufRead>(
    part: &mut Whole<R>,
    wanted: Wanted<'_>,
    take: &mut dyn FnMut(Logged),
) -> io::Result<()> {
    let mut session = Session::default();
    let mut at = None;
    let mut sql = String::new();
    let mut read = part.read;
    let mut in_head = false;
    while let Some(line) = part.line()? {
        let is_head = line.starts_with("# ");
        if is_head && !in_head {
            close(&mut sql, &session, at, wanted, take);
            read = part.read - line.len() as u64;
            session = Session { user: None, ..session };
        }
        in_head = is_head;
        if let Some(time) = line.strip_prefix("# Time:") {
            at = time_of(time.trim());
        } else if let Some(found) = USER_AT_HOST.captures(&line) {
            session.user = Some(found["user"].to_owned());
        } else if is_head {
            if let Some(found) = SCHEMA.captures(&line) {
                session.database = Some(found["database"].to_owned()).filter(|name| !name.contains(':'));
            }
        } else if let Some(database) = database_of_use(line.trim()) {
            session.database = Some(database.to_owned());
        } else if let Some(seconds) = line.strip_prefix("SET timestamp=") {
            let seconds = seconds.trim().trim_end_matches(';');
            at = seconds.parse::<f64>().ok().and_then(|it| Timestamp::from_second(it as i64).ok()).or(at);
        } else if sql.len() < LONGEST_ENTRY {
            sql.push_str(&line);
        }
    }
    // As in the general log.
    if !sql.is_empty() {
        part.read = read;
    }
    Ok(())
}

fn close(sql: &mut String, session: &Session, at: Option<Timestamp>, wanted: Wanted<'_>, take: &mut dyn FnMut(Logged)) {
    let text = std::mem::take(sql);
    let is_wanted = wanted.is_of_database(session.database.as_deref()) && !wanted.is_own_role(session.user.as_deref());
    if is_wanted && !text.trim().is_empty() {
        take(Logged { user: session.user.clone(), at, ..Logged::once(text.trim()) });
    }
}

/// `261128 16:30:00`, as the server's clock has it, taken for UTC; or a time that is written out.
fn time_of(text: &str) -> Option<Timestamp> {
    let short = DateTime::strptime("%y%m%d %H:%M:%S", text.split_whitespace().collect::<Vec<_>>().join(" "));
    match short {
        Ok(short) => TimeZone::UTC.to_timestamp(short).ok(),
        Err(_) => time(text),
    }
}
