//! Logs of a JSON object a line: PostgreSQL's jsonlog, ClickHouse's `query_log` as JSONEachRow, our own record of statements,
//! and whatever else has a key for the statement.

use std::io::{self, BufRead};

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{Wanted, Whole, postgres};
use crate::statement::Logged;

pub(super) fn json<R: BufRead>(
    part: &mut Whole<R>,
    wanted: Wanted<'_>,
    take: &mut dyn FnMut(Logged),
) -> io::Result<()> {
    while let Some(line) = part.line()? {
        let Ok(Value::Object(entry)) = serde_json::from_str(&line) else { continue };
        if let Some(logged) = logged(&entry, wanted) {
            take(logged);
        }
    }
    Ok(())
}

fn logged(entry: &Map<String, Value>, wanted: Wanted<'_>) -> Option<Logged> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| entry.get(*key)?.as_str());
    if !wanted.is_of_database(text(&["dbname", "database", "database_name", "current_database"])) {
        return None;
    }
    let user = text(&["user", "user_name", "usename", "username", "initial_user", "caller"]);
    let at = text(&["timestamp", "at", "time", "event_time", "query_start_time", "ts"]).and_then(time);
    if let (Some(message), Some(severity)) = (text(&["message"]), text(&["error_severity"])) {
        let program = text(&["application_name"]);
        let message = postgres::Message { severity, message, detail: text(&["detail"]), program, user };
        return message.logged(wanted).map(|logged| Logged { at, ..logged });
    }
    // ClickHouse has a statement twice, where it begins and where it ends.
    if text(&["type"]).is_some_and(|kind| kind == "QueryStart" || kind.starts_with("Exception")) {
        return None;
    }
    // What was refused wasn't run.
    if text(&["verdict", "decision"]).is_some_and(|verdict| verdict.eq_ignore_ascii_case("refuse")) {
        return None;
    }
    let sql = text(&["sql", "query", "statement", "query_text", "sql_text"])?;
    let runs = ["calls", "count", "runs"].iter().find_map(|key| entry.get(*key)?.as_u64()).unwrap_or(1);
    // Our own record is of no engine: who is served there is not the role that logs in.
    let is_own = wanted.is_own_role(user) && !entry.contains_key("verdict");
    (!is_own).then(|| Logged { sql: sql.to_owned(), user: user.map(str::to_owned), at, runs })
}

/// `2026-11-28T16:30:00Z`, `2026-11-28 16:30:00.123 UTC`, `2026-11-28 16:30:00`: without a zone, or with a name for one that
/// isn't an offset, UTC.
pub(super) fn time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    let mut parts = text.split_whitespace();
    let (date, time) = match (parts.next()?, parts.next()) {
        (date, Some(time)) => (date.to_owned(), time.to_owned()),
        (both, None) => {
            let (date, time) = both.split_once('T')?;
            (date.to_owned(), time.trim_end_matches('Z').to_owned())
        }
    };
    format!("{date}T{time}Z").parse().ok()
}
