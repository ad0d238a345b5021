//! How long work shows itself: bars on a terminal, a line now and then elsewhere. Always on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use llm::local::PullProgress;

use crate::diagnostics;
use crate::output::counted;

/// Shows what goes on. One bar at a time, because the work has phases.
pub(crate) struct Reporter {
    bar: Option<ProgressBar>,
    phase: &'static str,
    /// Steps of the phase that are done: they end in another order than they begin.
    done: usize,
    /// When something was last said of it elsewhere than on a terminal.
    said: Instant,
    on_terminal: bool,
    /// Only what went wrong is said.
    is_silent: bool,
    /// Hears of each step: its phase, how many of that are done, and of how many.
    listener: Option<Listener>,
}

/// Hears of the steps of work.
pub(crate) type Listener = Box<dyn Fn(&str, u64, u64) + Send>;

/// How often a phase says how far it is, where there is no bar.
const EVERY: Duration = Duration::from_secs(10);

impl Reporter {
    pub(crate) fn new() -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        Self { bar: None, phase: "", done: 0, said: Instant::now(), on_terminal, is_silent: false, listener: None }
    }

    /// One that says nothing but what goes wrong.
    pub(crate) fn silent() -> Self {
        Self { is_silent: true, ..Self::new() }
    }

    /// The same, with somebody who hears of each step.
    pub(crate) fn heard_by(self, listener: Listener) -> Self {
        Self { listener: Some(listener), ..self }
    }

    fn tell(&self, done: u64, total: u64) {
        if let Some(listener) = &self.listener {
            listener(self.phase, done, total);
        }
    }

    /// A table of the demo's database was written.
    pub(crate) fn made(&mut self, made: &shop::Progress<'_>) {
        self.step("making the shop", made.total, made.table);
    }

    /// A table was profiled, or skipped.
    pub(crate) fn profile(&mut self, event: profile::Progress) {
        match event {
            profile::Progress::Started { tables } => self.start_counting("profiling", tables),
            profile::Progress::Table { id, total, outcome, .. } => {
                self.step("profiling", total, &id.local());
                if let profile::Outcome::Failed(code, message) = outcome {
                    self.say(&format!("{id}: [{code}] {message}"));
                }
            }
            profile::Progress::KeysInferred { .. } => self.finish(),
        }
    }

    /// A table was described.
    pub(crate) fn describe(&mut self, event: describe::Progress) {
        match event {
            describe::Progress::Started { tables } => self.start_counting("describing", tables),
            describe::Progress::Asking { model, tables, tokens, answer_tokens } if tables > 0 => self.say(&format!(
                "{model} is asked about {}: it reads about {tokens} tokens, and writes {answer_tokens} at most for each",
                counted(tables, "table")
            )),
            describe::Progress::Table { id, total, outcome, .. } => {
                self.step("describing", total, &id.local());
                if let describe::Outcome::ModelFailed { reason } = outcome {
                    self.say(&format!("{id}: described by rules, because {reason}"));
                }
            }
            describe::Progress::ModelGaveUp { reason } => {
                self.say(&format!("the model is not asked again in this run: {reason}"));
            }
            _ => {}
        }
    }

    /// Logs are being read.
    pub(crate) fn reads_logs(&mut self, progress: usage::Progress) {
        const PHASE: &str = "reading query logs";
        if self.phase != PHASE {
            self.start(PHASE, progress.of_files as u64, &format!(" {}", counted(progress.of_files, "file")));
        }
        self.at(progress.files as u64);
    }

    /// A model was asked about columns, of that table and perhaps of more.
    pub(crate) fn asked_about(&mut self, first: &catalog::TableId, requests: usize) {
        const PHASE: &str = "asking the model";
        if self.phase != PHASE {
            self.start(PHASE, requests as u64, &format!(" {}", counted(requests, "request")));
        }
        self.step(PHASE, requests, &first.local());
    }

    /// Bytes of the model came in.
    pub(crate) fn pull(&mut self, event: PullProgress) {
        match event {
            PullProgress::Started { source, done, total } => {
                self.say(&format!("from {source}, {} MB", total / 1_000_000));
                self.start("fetching the model", total, "");
                self.at(done);
            }
            PullProgress::Advanced { done, .. } => self.at(done),
            PullProgress::SourceFailed { source, reason } if reason.contains(&source) => self.say(&reason),
            PullProgress::SourceFailed { source, reason } => self.say(&format!("{source}: {reason}")),
            PullProgress::Verifying => self.say("verifying the checksum"),
            _ => self.finish(),
        }
    }

    /// Shows a spinner while the index is built.
    pub(crate) fn while_indexing<T>(&mut self, build: impl FnOnce() -> T) -> T {
        self.start("indexing", 1, "");
        let built = build();
        self.finish();
        built
    }

    /// Ends the bar in hand.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.phase = "";
    }

    fn step(&mut self, phase: &'static str, total: usize, name: &str) {
        if self.phase != phase {
            self.start_counting(phase, total);
        }
        self.done += 1;
        self.tell(self.done as u64, total as u64);
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(shown::one_line(name).into_owned());
        } else if self.said.elapsed() > EVERY && !self.is_silent {
            eprintln!("{phase}: {} of {total}", self.done);
            self.said = Instant::now();
        }
        if self.done == total {
            self.finish();
        }
    }

    fn start_counting(&mut self, phase: &'static str, tables: usize) {
        self.start(phase, tables as u64, &format!(" {tables} tables"));
    }

    /// `said` follows the phase's name where there is no bar.
    fn start(&mut self, phase: &'static str, total: u64, said: &str) {
        self.finish();
        (self.phase, self.done, self.said) = (phase, 0, Instant::now());
        self.tell(0, total);
        if self.is_silent {
            return;
        }
        if !self.on_terminal {
            eprintln!("{phase}{said} …");
            return;
        }
        let template = "{prefix:>18} [{bar:30}] {human_pos}/{human_len} {eta:>4} {msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = Some(ProgressBar::new(total).with_prefix(phase).with_style(style));
    }

    fn at(&self, position: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
        }
    }

    fn say(&self, text: &str) {
        let text = diagnostics::indented(text);
        match &self.bar {
            Some(bar) => bar.suspend(|| diagnostics::note(&text)),
            None => diagnostics::note(&text),
        }
    }
}
