//! The binary: parse what was typed (pure), find the project it means (I/O), run one command, decide the exit code.
//!
//! Standard output carries the answer and nothing else (under `serve` it is the protocol's channel); progress, warnings
//! and errors go to standard error.

mod args;
mod commands;
mod config;
mod diagnostics;
mod held;
mod mask_rules;
mod origins;
mod output;
mod pipeline;
mod progress;
mod project;
mod proposed_terms;
#[cfg(test)]
mod reference;
mod role;
mod run_before;
mod told;
mod traces;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use connect::EngineProgram;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use args::{Arguments, Command};
use output::Output;
use traces::Traces;

/// The argument by which a process of this program is told to run statements of an engine that is a library.
const ENGINE_PROCESS: &str = "engine-process";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == ENGINE_PROCESS) {
        return connect::serve_engine();
    }
    if let Some(program) = own_program() {
        connect::run_engines_in(EngineProgram { program, arguments: vec![ENGINE_PROCESS.into()] });
    }
    let arguments = Arguments::try_parse().unwrap_or_else(|error| diagnostics::wrong_use(&error));
    // What is written tells of other people's data.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let (as_json, collector) = match &arguments.command {
        Command::Serve(serve) => (serve.log_json, serve.otlp.as_deref()),
        _ => (false, None),
    };
    let output = Output::new(arguments.global.json);
    let traces = match collector.map(Traces::to).transpose() {
        Ok(traces) => traces,
        Err(error) => return diagnostics::report(&error, &output),
    };
    log_to_standard_error(arguments.global.verbose, as_json, traces.as_ref());
    let outcome = run(arguments, &output);
    output.finish();
    drop(traces);
    match outcome {
        Ok(exit) => exit,
        Err(error) => diagnostics::report(&error, &output),
    }
}

/// This program's file, as it was when the process began where the system can tell.
fn own_program() -> Option<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Some(running.to_owned()) } else { std::env::current_exe().ok() }
}

fn run(arguments: Arguments, output: &Output) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        if ends_by_itself(&arguments.command) {
            return commands::run(arguments, output).await;
        }
        tokio::select! {
            result = commands::run(arguments, output) => result,
            _ = tokio::signal::ctrl_c() => Err(diagnostics::Interrupted.into()),
        }
    });
    // A thread may still be inside a tensor kernel or an engine's read; everything that is finished is stored.
    runtime.shutdown_background();
    result
}

/// Whether Ctrl-C means something else than the end of the program: of what runs in the shell, or of what a server takes on.
fn ends_by_itself(command: &Command) -> bool {
    match command {
        Command::Shell(_) | Command::Watch(_) => true,
        Command::Serve(arguments) => arguments.http.is_some(),
        _ => false,
    }
}

fn log_to_standard_error(verbose: u8, as_json: bool, traces: Option<&Traces>) {
    let default = match verbose {
        0 if !as_json => "warn",
        0 | 1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("PERIPLUS_LOG").unwrap_or_else(|_| default.into());
    let log = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| Log);
    let log = match verbose {
        _ if as_json => log.json().flatten_event(true).boxed(),
        0 => log.event_format(Plain).boxed(),
        _ => log.boxed(),
    };
    tracing_subscriber::registry().with(log.with_filter(filter)).with(traces.map(Traces::layer)).init();
    if as_json {
        diagnostics::log_instead();
    }
}

/// What people read who didn't ask for a log: `warning: …`, as everything else that is said on standard error.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> std::fmt::Result {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            _ => "note",
        };
        write!(out, "{level}: ")?;
        context.format_fields(out.by_ref(), event)?;
        writeln!(out)
    }
}

/// The log, in which names and messages of databases stand: nothing hidden in it, and nothing for a terminal to obey.
struct Log;

impl std::io::Write for Log {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        // Where nobody listens any more, what is served goes on.
        let _ = std::io::stderr().lock().write_all(shown::visible(&text).as_bytes());
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
