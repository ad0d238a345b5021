//! `periplus audit`: what was asked of the databases, and whether the record of it is as it was written.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::AuditArguments;
use crate::output::Output;
use crate::project::Project;

pub(super) fn run(arguments: &AuditArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let log = project.audit_log();
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
    let check = log.verify()?;
    output.json(&check);
    output.line(format!("{} lines in {} files, {} of them with a hash", check.lines, check.files, check.chained));
    Ok(match &check.broken {
        None => ExitCode::SUCCESS,
        Some(broken) => {
            output.line(format!("{}:{}: {}", broken.file.display(), broken.line, broken.reason));
            ExitCode::FAILURE
        }
    })
}
