//! The binary: parse what was typed (pure), find the project it means (I/O), run one command, decide the exit code.
//!
//! Standard output carries the answer and nothing else (under `serve` it is the protocol's channel); progress, warnings
//! and errors go to standard error.

mod args;
mod commands;
mod config;
mod diagnostics;
mod lineage;
mod output;
mod pipeline;
mod progress;
mod project;
#[cfg(test)]
mod reference;
mod role;

use std::process::ExitCode;

use clap::Parser;

use args::Arguments;
use output::Output;

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| diagnostics::wrong_use(&error));
    // What is written tells of other people's data.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    log_to_standard_error(arguments.global.verbose);
    let output = Output::new(arguments.global.json);
    let outcome = run(arguments, &output);
    output.finish();
    match outcome {
        Ok(exit) => exit,
        Err(error) => diagnostics::report(&error, &output),
    }
}

fn run(arguments: Arguments, output: &Output) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = commands::run(arguments, output) => result,
            _ = tokio::signal::ctrl_c() => Err(diagnostics::Interrupted.into()),
        }
    });
    // A thread may still be inside a tensor kernel or an engine's read; everything that is finished is stored.
    runtime.shutdown_background();
    result
}

fn log_to_standard_error(verbose: u8) {
    let default = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("PERIPLUS_LOG").unwrap_or_else(|_| default.into());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Log).init();
}

/// The log, in which names and messages of databases stand: nothing hidden in it, and nothing for a terminal to obey.
struct Log;

impl std::io::Write for Log {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        std::io::stderr().lock().write_all(shown::visible(&text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
