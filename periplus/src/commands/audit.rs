//! `periplus audit`: what was asked of the databases, and whether the record of it is as it was written.

use std::process::ExitCode;

use guard::AuditPlace;
use serde_json::{Value, json};

use crate::args::AuditArguments;
use crate::output::Output;
use crate::project::Project;

pub(super) fn run(arguments: &AuditArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let log = project.audit_log()?;
    if !arguments.verify {
        let lines = log.last(arguments.last)?;
        // What a crash cut off is no JSON; it is shown as it stands.
        let records = lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line)));
        output.json(&json!({"records": records.collect::<Vec<Value>>()}));
        match lines.as_slice() {
            [] => output.say("nothing has been recorded"),
            lines => output.line(lines.join("\n")),
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

/// A line of a file, or the file.
fn named(place: &AuditPlace) -> String {
    match place.line {
        0 => place.file.display().to_string(),
        line => format!("{}:{line}", place.file.display()),
    }
}
