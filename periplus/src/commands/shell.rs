//! `periplus shell`: statements and commands line by line, with a history and completion; from a pipe, one after the other.
//!
//! Commands have the letters of `psql` where there are some; the words of SQLite's shell behind a full stop are understood,
//! too. Everything goes the way of the command of the same name: what is
//! typed here is judged, recorded and shown as it is elsewhere.

mod completion;
mod input;

use std::io::{BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use agent::Status;
use catalog::{Catalog, Store};
use connect::Connector;
use guard::Policy;
use llm::ChatModel;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use sql::next_statement;

use self::completion::Typing;
use self::input::{is_question, is_whole};
use super::{ask, check, feedback, link, search, tables};
use crate::args::{
    AskArguments, DescribeArguments, FeedbackAction, FeedbackArguments, FeedbackPair, FeedbackReach, LinkArguments,
    RowFormat, SearchArguments, Shape, ShellArguments, TablesArguments,
};
use crate::config::SourceConfig;
use crate::diagnostics::{self, Interrupted};
use crate::output::{Output, counted};
use crate::project::{Project, ProjectError};
use crate::role;

/// Lines that are remembered.
const HISTORY_LINES: usize = 1_000;

const HELP: &str = r"A statement ends with `;`, a question with its line. Anything else begins with `\`:
  \d [TABLE]     the tables, or what one of them holds
  \ask QUESTION  answer a question, whatever it begins with
  \approve       the answer above is right
  \reject WHY    it isn't
  \link QUESTION which tables a question needs
  \search WORDS  tables, columns and values
  \check SQL     judge a statement without running it
  \x             one value a line, or tables again
  \source NAME   another database
  \?  \q         this help; leave";

/// What is kept between the lines.
struct Shell<'p> {
    project: &'p Project,
    output: &'p Output,
    source: &'p SourceConfig,
    store: Store,
    catalog: Catalog,
    policy: Policy,
    connector: Option<Box<dyn Connector>>,
    /// Opened with the first question; a local one takes seconds.
    model: Option<Option<Box<dyn ChatModel>>>,
    format: Option<RowFormat>,
    /// Whether a question was asked here, so that it is clear which answer is meant.
    has_asked: bool,
}

/// Whether more is to be read.
enum Next {
    Go(ExitCode),
    Leave,
}

pub(super) async fn run(arguments: &ShellArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let source = match (arguments.source.as_deref(), project.config.sources.first()) {
        (None, Some(first)) => first,
        (name, _) => project.source(name)?,
    };
    let catalog = project.catalog()?;
    let mut shell = Shell {
        project,
        output,
        source,
        store: project.store()?,
        catalog,
        policy: project.policy()?,
        connector: None,
        model: None,
        format: None,
        has_asked: false,
    };
    if std::io::stdin().is_terminal() { shell.converse().await } else { shell.follow().await }
}

impl Shell<'_> {
    /// Reads from a person.
    async fn converse(&mut self) -> anyhow::Result<ExitCode> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY_LINES)?
            .history_ignore_space(true)
            .build();
        let mut editor: Editor<Typing, FileHistory> = Editor::with_config(config)?;
        let history = self.project.state_folder().join("history");
        // The first time there is none.
        let _ = editor.load_history(&history);
        diagnostics::note(&format!("{}; \\? for help, \\q to leave", counted(self.catalog.entries().len(), "table")));
        loop {
            self.refresh()?;
            editor.set_helper(Some(Typing::over(&self.catalog, &self.source.id)));
            let prompt = format!("{}> ", shown::one_line(&self.source.id));
            let text = match tokio::task::block_in_place(|| editor.readline(&prompt)) {
                Ok(text) => text,
                Err(ReadlineError::Interrupted) => continue,
                Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
                Err(error) => return Err(error.into()),
            };
            if !text.trim().is_empty() {
                let _ = editor.add_history_entry(text.trim());
                // A folder that can't be written to doesn't keep anybody from asking.
                let _ = editor.save_history(&history);
            }
            self.output.may_be_long();
            let next = tokio::select! {
                next = self.take(&text) => next,
                _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
            };
            self.output.finish();
            match next {
                Ok(Next::Leave) => return Ok(ExitCode::SUCCESS),
                Ok(Next::Go(_)) => {}
                Err(error) => drop(diagnostics::report(&error, self.output)),
            }
        }
    }

    /// Reads from a pipe or a file; ends with the exit code of what failed first, after everything else.
    async fn follow(&mut self) -> anyhow::Result<ExitCode> {
        let (mut pending, mut first_failure) = (String::new(), None);
        let mut lines = std::io::stdin().lock().lines();
        let mut is_over = false;
        while !is_over {
            match lines.next().transpose()? {
                Some(line) => {
                    pending.push_str(&line);
                    pending.push('\n');
                }
                None => is_over = true,
            }
            if !is_over && !is_whole(&pending, self.source_dialect()) {
                continue;
            }
            self.refresh()?;
            let text = std::mem::take(&mut pending);
            let taken = tokio::select! {
                taken = self.take(&text) => taken,
                _ = tokio::signal::ctrl_c() => return Err(Interrupted.into()),
            };
            self.output.finish();
            let code = match taken {
                Ok(Next::Leave) => break,
                Ok(Next::Go(code)) => code,
                Err(error) => diagnostics::report(&error, self.output),
            };
            if code != ExitCode::SUCCESS {
                first_failure.get_or_insert(code);
            }
        }
        Ok(first_failure.unwrap_or(ExitCode::SUCCESS))
    }

    /// What another process has indexed, masked or described meanwhile holds from the next line on.
    ///
    /// # Errors
    /// Where the configuration says something else than at the start: nothing is judged by what doesn't hold any more.
    fn refresh(&mut self) -> anyhow::Result<()> {
        if self.project.is_outdated() {
            return Err(ProjectError::ConfigurationChanged.into());
        }
        self.store.follow()?;
        if !self.store.is_current(&self.catalog)? {
            self.catalog = self.store.catalog_after(&self.catalog)?;
        }
        Ok(())
    }

    fn source_dialect(&self) -> &catalog::Dialect {
        self.catalog.dialect(&self.source.id)
    }

    /// Does what one input says: a command, or statements one after the other until one fails.
    async fn take(&mut self, text: &str) -> anyhow::Result<Next> {
        let text = text.trim();
        if let Some(command) = text.strip_prefix(['\\', '.']) {
            return self.command(command).await;
        }
        match text.trim_end_matches(';').to_ascii_lowercase().as_str() {
            "quit" | "exit" => return Ok(Next::Leave),
            "help" => return self.command("?").await,
            _ => {}
        }
        if is_question(text) {
            return Ok(Next::Go(self.ask(text).await?));
        }
        let mut rest = text.to_owned();
        while !rest.trim().is_empty() {
            let (statement, behind) = match next_statement(&rest, self.source_dialect()) {
                Some((statement, behind)) => (statement.to_owned(), behind.to_owned()),
                None => (rest, String::new()),
            };
            let code = self.statement(&statement).await?;
            if code != ExitCode::SUCCESS {
                return Ok(Next::Go(code));
            }
            rest = behind;
        }
        Ok(Next::Go(ExitCode::SUCCESS))
    }

    async fn statement(&mut self, sql: &str) -> anyhow::Result<ExitCode> {
        if sql.trim().is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let limits = self.project.limits();
        self.connect().await?;
        let Some(connector) = &self.connector else { return Ok(ExitCode::FAILURE) };
        let answer = guard::run(sql, &self.catalog, connector.as_ref(), &self.policy, &limits).await;
        check::print_answer(sql, answer, self.format, self.output)
    }

    /// Opens the database with the first statement, not before: without it everything else works.
    async fn connect(&mut self) -> anyhow::Result<()> {
        if self.connector.is_none() {
            self.connector = Some(role::connect_checked(self.project, self.source).await?);
        }
        Ok(())
    }

    async fn command(&mut self, command: &str) -> anyhow::Result<Next> {
        let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim().trim_end_matches(';').trim_end();
        let source = Some(self.source.id.clone());
        let (project, output) = (self.project, self.output);
        let code = match (name, rest) {
            ("q" | "quit" | "exit", _) => return Ok(Next::Leave),
            ("?" | "h" | "help", _) => {
                output.say(HELP);
                ExitCode::SUCCESS
            }
            ("d" | "dt" | "tables", "") => tables::list(&TablesArguments { pattern: None, source }, project, output)?,
            ("dt" | "tables", pattern) => {
                tables::list(&TablesArguments { pattern: Some(pattern.to_owned()), source }, project, output)?
            }
            ("d" | "schema", table) if !table.is_empty() => {
                tables::describe(&DescribeArguments { table: table.to_owned(), source }, project, output)?
            }
            ("ask", question) if !question.is_empty() => self.ask(question).await?,
            ("approve", _) => self.judge(None)?,
            ("reject", why) if !why.is_empty() => self.judge(Some(why.to_owned()))?,
            ("link", question) if !question.is_empty() => {
                let arguments = LinkArguments { question: vec![question.to_owned()], source, top: 10, context: false };
                link::run(&arguments, project, output)?
            }
            ("search", words) if !words.is_empty() => {
                search::run(&SearchArguments { query: vec![words.to_owned()], top: 10 }, project, output)?
            }
            ("check", sql) if !sql.is_empty() => {
                self.connect().await?;
                let Some(connector) = &self.connector else { return Ok(Next::Go(ExitCode::FAILURE)) };
                let verdict = guard::verify(sql, &self.catalog, connector.as_ref(), &self.policy).await?;
                check::print(sql, &verdict, None, output);
                match verdict.decision {
                    guard::Decision::Accept => ExitCode::SUCCESS,
                    guard::Decision::Refuse => ExitCode::FAILURE,
                }
            }
            ("x", _) => {
                self.format = if self.format.is_none() { Some(RowFormat::Vertical) } else { None };
                output.say(if self.format.is_none() { "tables again" } else { "one value a line" });
                ExitCode::SUCCESS
            }
            ("source", name) if !name.is_empty() => {
                self.source = project.source(Some(name))?;
                self.connector = None;
                ExitCode::SUCCESS
            }
            ("ask" | "reject" | "link" | "schema" | "search" | "check" | "source", _) => {
                diagnostics::note(&format!("\\{name} wants something behind it; \\? lists the commands"));
                ExitCode::from(diagnostics::WRONG_USE)
            }
            _ => {
                diagnostics::note(&format!("there is no command \\{name}; \\? lists them"));
                ExitCode::from(diagnostics::WRONG_USE)
            }
        };
        Ok(Next::Go(code))
    }

    async fn ask(&mut self, question: &str) -> anyhow::Result<ExitCode> {
        if self.model.is_none() {
            self.model = Some(self.project.model()?);
        }
        let model = self.model.as_ref().and_then(Option::as_deref);
        let arguments = AskArguments {
            question: vec![question.to_owned()],
            source: Some(self.source.id.clone()),
            shape: Shape::Query,
            correction: None,
            rejected_sql: None,
            no_model: false,
            explain: false,
        };
        let outcome = ask::answer(arguments, self.project, model, self.output).await?;
        self.has_asked = true;
        Ok(if outcome.status == Status::Answered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Approves the last answer, or corrects it.
    fn judge(&self, correction: Option<String>) -> anyhow::Result<ExitCode> {
        if !self.has_asked {
            return Err(ProjectError::NothingAsked.into());
        }
        let pair = FeedbackPair { question: None, sql: None, last: true, source: None };
        let action = match correction {
            None => FeedbackAction::Approve { pair, reach: FeedbackReach::default() },
            Some(correction) => FeedbackAction::Reject { pair, correction, reach: FeedbackReach::default() },
        };
        feedback::run(FeedbackArguments { author: None, action }, self.project, self.output)
    }
}
