//! One file for each verb of the command line.

mod ask;
mod audit;
mod check;
mod demo;
mod diff;
mod docs;
mod eval;
mod feedback;
mod index;
mod init;
mod lineage;
mod link;
pub(crate) mod manual;
mod mask;
mod model;
mod search;
mod serve;
mod shell;
mod snapshot;
mod status;
mod tables;
mod terms;
mod token;
mod usage;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;

use crate::args::{Arguments, Command};
use crate::output::Output;
use crate::project::Project;

/// Runs what was asked for.
pub(crate) async fn run(arguments: Arguments, output: &Output) -> anyhow::Result<ExitCode> {
    let global = arguments.global;
    let project = || Project::open(&global);
    let strict = |asked| project().map(|project| project.with_strictness(asked));
    if may_be_long(&arguments.command) {
        output.may_be_long();
    }
    match arguments.command {
        Command::Demo(arguments) => demo::run(arguments, &global, output).await,
        Command::Init(arguments) => init::run(arguments, &global, output).await,
        Command::Index(arguments) => index::run(&arguments, &strict(arguments.strict)?, output).await,
        Command::Tables(arguments) => tables::list(&arguments, &project()?, output),
        Command::Describe(arguments) => tables::describe(&arguments, &project()?, output),
        Command::Lineage(arguments) => lineage::run(&arguments, &project()?, output),
        Command::Usage(arguments) => usage::run(&arguments, &project()?, output),
        Command::Terms(arguments) => terms::run(arguments, &project()?, output),
        Command::Diff(arguments) => diff::run(&arguments, &project()?, output),
        Command::Search(arguments) => search::run(&arguments, &project()?, output),
        Command::Link(arguments) => link::run(&arguments, &project()?, output),
        Command::Ask(arguments) => ask::run(arguments, &project()?, output).await,
        Command::Check(arguments) => check::run(&arguments, &project()?, output).await,
        Command::Query(arguments) => check::run_query(&arguments, &project()?, output).await,
        Command::Snapshot(arguments) => snapshot::run(&arguments, &project()?, output),
        Command::Shell(arguments) => shell::run(&arguments, &project()?, output).await,
        Command::Docs(arguments) => docs::run(arguments, &project()?, output),
        Command::Serve(arguments) => {
            let (global, strict) = (global.clone(), arguments.strict);
            let open = move || Project::open(&global).map(|project| project.with_strictness(strict));
            serve::run(&arguments, &open()?, Arc::new(open)).await
        }
        Command::Watch(arguments) => {
            let global = global.clone();
            watch::run(&arguments, Box::new(move || Project::open(&global)), output).await
        }
        Command::Token(arguments) => token::run(arguments, &project()?, output),
        Command::Feedback(arguments) => feedback::run(arguments, &project()?, output),
        Command::Mask(arguments) => mask::run(&arguments, &project()?, output).await,
        Command::Status(arguments) => status::run(&arguments, &strict(arguments.strict)?, output).await,
        Command::Model(arguments) => model::run(&arguments, &project()?, output).await,
        Command::Audit(arguments) => audit::run(&arguments, &project()?, output),
        Command::Manual(arguments) => Ok(manual::run(&arguments, output)),
        Command::Eval(arguments) => eval::run(arguments, &project()?, output).await,
    }
}

/// Whether a command prints something to read and nothing while it works.
fn may_be_long(command: &Command) -> bool {
    use Command::{Audit, Describe, Diff, Lineage, Link, Manual, Query, Search, Status, Tables, Terms, Usage};
    matches!(
        command,
        Audit(_)
            | Describe(_)
            | Diff(_)
            | Lineage(_)
            | Link(_)
            | Manual(_)
            | Query(_)
            | Search(_)
            | Status(_)
            | Tables(_)
            | Terms(_)
            | Usage(_)
    )
}
