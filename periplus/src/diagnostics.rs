//! Errors as people and programs see them: what and why, a stable code, what to do; and the exit code that follows.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::config::{ConfigError, GuardConfigError};
use crate::output::Output;
use crate::project::ProjectError;
use crate::role::RoleError;

/// Whether lines on standard error are events of the log.
static AS_EVENTS: AtomicBool = AtomicBool::new(false);

/// From here on, lines on standard error are events of the log, which a program reads.
pub(crate) fn log_instead() {
    AS_EVENTS.store(true, Ordering::Relaxed);
}

/// Ctrl-C. What was finished is stored.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

/// What an error says to a program.
struct Advice {
    code: &'static str,
    hints: Vec<String>,
}

/// Prints an error and returns the exit code it stands for.
pub(crate) fn report(error: &anyhow::Error, output: &Output) -> ExitCode {
    let advice = advice(error);
    let causes = causes(error);
    if output.is_json() {
        output.json(&json!({"error": {
            "code": advice.code, "message": error.to_string(), "causes": causes, "hints": advice.hints,
        }}));
    } else {
        print("error", error, &causes, &advice);
    }
    exit_code(advice.code)
}

/// An error's code, and what there is to say of it: what went wrong, why, and what to do.
pub(crate) fn in_lines(error: &anyhow::Error) -> (String, Vec<String>) {
    let Advice { code, hints } = advice(error);
    let lines = std::iter::once(error.to_string()).chain(causes(error)).chain(hints);
    (code.to_owned(), lines.collect())
}

/// Prints as a warning what would be an error elsewhere.
pub(crate) fn warn(error: anyhow::Error) {
    print("warning", &error, &causes(&error), &advice(&error));
}

fn print(level: &str, error: &anyhow::Error, causes: &[String], advice: &Advice) {
    let mut text = format!("{level}[{}]: {}", advice.code, indented(&error.to_string()));
    for cause in causes {
        text.push_str(&format!("\n  because: {}", indented(cause)));
    }
    for hint in &advice.hints {
        text.push_str(&format!("\nhint: {}", indented(hint)));
    }
    note(&text);
}

/// Prints lines of ours that may hold anybody's words on standard error. Each word of data stands behind one of ours on the
/// same line: a line end in it starts no new one there, and hidden characters are written out.
pub(crate) fn note(text: &str) {
    if AS_EVENTS.load(Ordering::Relaxed) {
        return match text {
            text if text.starts_with("error") => tracing::error!("{text}"),
            text if text.starts_with("warning") => tracing::warn!("{text}"),
            text => tracing::info!("{text}"),
        };
    }
    let shown = shown::visible(text);
    let flag =
        if shown::reads_like_instructions(text) { "\n  (worded like instructions; data all the same)" } else { "" };
    // In one go, as several sources may be warned of at a time.
    let _ = writeln!(std::io::stderr(), "{shown}{flag}");
}

/// The text with every further line indented, so that it begins none.
pub(crate) fn indented(text: &str) -> String {
    text.replace('\n', "\n     ")
}

fn causes(error: &anyhow::Error) -> Vec<String> {
    let causes = error.chain().skip(1).map(ToString::to_string);
    let reasons = error.downcast_ref::<RoleError>().map(RoleError::reasons);
    causes.chain(reasons.into_iter().flatten()).collect()
}

/// Ends the program over arguments that it doesn't understand; help and the version are asked for in the same way.
pub(crate) fn wrong_use(error: &clap::Error) -> ! {
    // What was asked for isn't known, so it is looked for among the words themselves.
    let is_json = std::env::args_os().take_while(|word| word != "--").any(|word| word == "--json");
    if !error.use_stderr() || !is_json {
        error.exit();
    }
    let text = error.render().to_string();
    let (message, more) = text.trim_end().split_once("\n\n").unwrap_or((text.trim_end(), ""));
    let hints: Vec<&str> = more.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message = message.trim_start_matches("error: ");
    let causes: [&str; 0] = [];
    Output::new(true).json(&json!({"error": {
        "code": "usage", "message": message, "causes": causes, "hints": hints,
    }}));
    std::process::exit(WRONG_USE.into())
}

/// Arguments or a command that aren't understood.
pub(crate) const WRONG_USE: u8 = 2;
/// What `--fail-on` and `--check` look for was found.
pub(crate) const FOUND: u8 = 4;

/// 2 for a wrong configuration or use, 3 for a database or a model that can't be reached, 130 for Ctrl-C as shells have it, 1
/// for everything else: it was refused, or it failed. [`FOUND`] is no error.
fn exit_code(code: &str) -> ExitCode {
    match code {
        "interrupted" => ExitCode::from(130),
        "usage" | "file_unreadable" | "no_source" | "unknown_source" | "no_such_folder" | "unsupported_scheme"
        | "invalid_dsn" | "no_tokens" | "token_name" | "unknown_role" => ExitCode::from(WRONG_USE),
        "missing_file"
        | "open_failed"
        | "unreachable"
        | "no_such_database"
        | "authentication_failed"
        | "encryption_failed"
        | "database_busy"
        | "connections_in_use"
        | "model_unreachable"
        | "model_timeout"
        | "model_unavailable"
        | "rate_limited" => ExitCode::from(3),
        code if code.starts_with("config_") => ExitCode::from(WRONG_USE),
        _ => ExitCode::FAILURE,
    }
}

/// The code and hints of the first error in the chain that has them.
fn advice(error: &anyhow::Error) -> Advice {
    macro_rules! first_of {
        ($cause:expr, $($kind:ty),+ $(,)?) => {
            $(if let Some(known) = $cause.downcast_ref::<$kind>() {
                return Advice { code: known.code(), hints: known.hints() };
            })+
        };
    }
    for cause in error.chain() {
        if cause.is::<Interrupted>() {
            let hints = vec!["what was finished is stored; the same command continues".to_owned()];
            return Advice { code: "interrupted", hints };
        }
        first_of!(
            cause,
            ConfigError,
            GuardConfigError,
            ProjectError,
            RoleError,
            agent::AgentError,
            describe::DescribeError,
            profile::ProfileError,
            guard::GuardError,
            guard::AuditKeyError,
            index::IndexError,
            lineage::LineageError,
            llm::LlmError,
            llm::WebSearchError,
            connect::ConnectError,
            usage::UsageError,
            serve::ServeError,
            serve::TokenError,
            catalog::CatalogError,
        );
    }
    // Files that only `eval` reads and writes have no errors of their own.
    let is_of_a_file =
        |cause: &(dyn std::error::Error + 'static)| cause.is::<std::io::Error>() || cause.is::<serde_json::Error>();
    if error.chain().any(is_of_a_file) {
        let hints = vec!["check the file; `periplus manual evaluation` says what those of `eval` hold".to_owned()];
        return Advice { code: "file_unreadable", hints };
    }
    Advice { code: "internal", hints: Vec::new() }
}
