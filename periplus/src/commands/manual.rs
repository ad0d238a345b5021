//! `periplus manual`: the pages that hints point to, for those who have the binary and not the repository.

use std::process::ExitCode;

use serde_json::json;

use crate::args::{ManualArguments, Page};
use crate::output::Output;

pub(super) fn run(arguments: &ManualArguments, output: &Output) -> ExitCode {
    let text = match arguments.page {
        Page::Cli => include_str!("../../../docs/reference/cli.md"),
        Page::Configuration => include_str!("../../../docs/reference/configuration.md"),
        Page::Engines => include_str!("../../../docs/reference/engines.md"),
        Page::Databases => include_str!("../../../docs/guides/your-own-database.md"),
        Page::Agents => include_str!("../../../docs/guides/agents.md"),
    };
    output.json(&json!({"text": text}));
    output.say(text);
    ExitCode::SUCCESS
}
