//! `periplus token`: who may call a server over HTTP.

use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::{Value, json};
use serve::Rights;

use crate::args::{TokenAction, TokenArguments};
use crate::diagnostics;
use crate::output::Output;
use crate::project::{Project, ProjectError, user};

pub(super) fn run(arguments: TokenArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let tokens = project.tokens();
    match arguments.action {
        TokenAction::Create { name, role, expires } => {
            let own = project.config.guard.roles.keys();
            let known: Vec<&str> =
                Rights::ALL.iter().map(|rights| rights.name()).chain(own.map(String::as_str)).collect();
            if !known.contains(&role.as_str()) {
                return Err(ProjectError::UnknownRole { name: role, known: known.join(", ") }.into());
            }
            if [user().as_str(), "local"].iter().any(|operator| operator.eq_ignore_ascii_case(&name)) {
                return Err(ProjectError::OperatorsName { name }.into());
            }
            let secret = tokens.create(&name, &role, expires)?;
            if output.is_json() {
                output.json(&json!({"name": name, "role": role, "expires": expires, "token": secret}));
            } else {
                // The token alone on standard output: `TOKEN=$(periplus token create …)`.
                output.export(&format!("{secret}\n"));
                diagnostics::note(
                    "this is the only time that it is shown; it is sent as `Authorization: Bearer TOKEN`",
                );
            }
        }
        TokenAction::List => {
            let all = tokens.list()?;
            let documents = all.iter().map(|token| {
                let (name, role) = (&token.name, &token.role);
                json!({"name": name, "role": role, "created": token.created, "expires": token.expires})
            });
            output.json(&json!({"tokens": documents.collect::<Vec<Value>>()}));
            if all.is_empty() {
                output.say("There are no tokens; `periplus token create` makes one.");
            }
            for token in &all {
                output.line(format!("{:<24} {:<9} {}", token.name, token.role, end(token.expires)));
            }
        }
        TokenAction::Revoke { name } => {
            tokens.revoke(&name)?;
            let said = format!("The token of {name} is taken back: the next request that shows it is refused.");
            output.either(&json!({"revoked": name}), said);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Until when a token holds, for people.
fn end(expires: Option<Timestamp>) -> String {
    match expires {
        None => "without an end".to_owned(),
        Some(end) if end <= Timestamp::now() => format!("ended at {end:.0}"),
        Some(end) => format!("until {end:.0}"),
    }
}
