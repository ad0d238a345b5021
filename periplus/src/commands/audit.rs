//! `periplus audit`: what was asked of the databases, and whether the record of it is as it was written.

use std::process::ExitCode;

use guard::{AuditPlace, Tail};
use serde_json::{Value, json};

use crate::args::AuditArguments;
use crate::output::{Output, counted};
use crate::project::Project;

pub(super) fn run(arguments: &AuditArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let log = project.audit_log()?;
    if !arguments.verify {
        let lines = log.last(Tail::of(arguments.last), |_| true)?;
        // What a crash cut off is no JSON; it is shown as it stands.
        let records = lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line)));
        output.json(&json!({"records": records.collect::<Vec<Value>>()}));
        match lines.as_slice() {
            [] => output.say("nothing has been recorded"),
            lines => output.line(lines.iter().map(|line| told(line)).collect::<Vec<_>>().join("\n")),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let check = log.verify(arguments.anchor.as_ref())?;
    output.json(&check);
    output.line(format!("{} lines in {} files, {} of them sealed", check.lines, check.files, check.chained));
    for place in &check.half_written {
        output.line(format!("{}: half-written by a crash, nothing wrong with it", named(place)));
    }
    if let Some(head) = &check.head {
        output.line(format!("compare with the last anchor in the system's log: {head}"));
    }
    if let Some(no_anchor) = check.no_anchor {
        output.say(no_anchor);
    }
    if let Some(broken) = &check.broken {
        output.line(format!("{}: {}", named(&broken.place), broken.reason));
    }
    output.say(check.unnoticed);
    Ok(if check.broken.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A record for people, in a line or two; what isn't one, as it stands.
fn told(line: &str) -> String {
    let Ok(record) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    let text = |field: &str| record[field].as_str().unwrap_or_default();
    let at = format!("{}Z", text("at").split(['.', 'Z']).next().unwrap_or_default());
    if text("event") == "outcome" {
        let went = match record["rows"].as_u64() {
            Some(rows) => format!(
                "{}{}",
                counted(usize::try_from(rows).unwrap_or(usize::MAX), "row"),
                if record["truncated"] == true { ", cut" } else { "" }
            ),
            None => text("error").to_owned(),
        };
        return format!("{at}    {went}, {} ms", record["milliseconds"]);
    }
    let findings = record["findings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let findings: Vec<&str> = findings.collect();
    let findings = if findings.is_empty() { String::new() } else { format!(" [{}]", findings.join(", ")) };
    format!("{at}  {} on {}: {}{findings}  {}", text("asked"), text("source"), text("decision"), text("sql"))
}

/// A line of a file, or the file.
fn named(place: &AuditPlace) -> String {
    match place.line {
        0 => place.file.display().to_string(),
        line => format!("{}:{line}", place.file.display()),
    }
}
