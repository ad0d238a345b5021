//! Standard output: one JSON document, or text for people.
//!
//! Whoever reads it may be an agent with a shell, and terminals obey what they are sent. So all text that isn't compiled in
//! stands between marks, hidden characters are written out, and what is worded like instructions is said to be. At a terminal,
//! where people read, each line of it stands behind a bar instead. In a document strings end where JSON says; they are what
//! they were, in JSON's own escapes, and `flagged` names places.
//!
//! What is long goes through a pager there, as in other programs of its kind.
//!
//! Invariant: [`Output::print()`] is called here alone, with what is compiled in or has been enclosed; [`Output::export()`] is
//! the one exception, and says so.

mod pager;
mod rows;

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use shown::Mark;

use self::pager::Pager;
pub(crate) use self::rows::{result_csv, result_json, result_table, result_text, table};
use crate::diagnostics;

/// Where answers go.
pub(crate) struct Output {
    form: OutputFormat,
    /// The block of data that lines go into, as long as nothing of ours is to be said.
    block: Mutex<Option<Block>>,
    /// What shows it, where it may be long.
    pager: Mutex<Option<Pager>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputFormat {
    /// For a pipe, a file, an agent.
    Text,
    /// For people.
    Terminal,
    Json,
}

/// Data that is being printed.
struct Block {
    /// `None` at a terminal.
    mark: Option<Mark>,
    lines: usize,
    /// Lines that are worded like instructions, from 1.
    flagged: Vec<usize>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let form = match json {
            true => OutputFormat::Json,
            false if std::io::stdout().is_terminal() => OutputFormat::Terminal,
            false => OutputFormat::Text,
        };
        Self { form, block: Mutex::new(None), pager: Mutex::new(None) }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == OutputFormat::Json
    }

    /// Prints a document; only where JSON was asked for.
    pub(crate) fn json(&self, document: &impl Serialize) {
        if self.is_json() {
            self.print_document(document);
        }
    }

    /// Prints a document whatever was asked for, where there is no other form of it.
    pub(crate) fn document(&self, document: &impl Serialize) {
        self.print_document(document);
    }

    /// Prints words of ours; only where text was asked for.
    pub(crate) fn say(&self, words: &'static str) {
        if !self.is_json() {
            self.end_block();
            self.print(words);
        }
    }

    /// Prints what may hold anybody's words, between marks or behind a bar; only where text was asked for.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if self.is_json() {
            return;
        }
        let text = text.as_ref();
        let mut open = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        let block = open.get_or_insert_with(|| {
            let mark = (self.form == OutputFormat::Text).then(Mark::random);
            if let Some(mark) = &mark {
                self.print(&mark.opening());
            }
            Block { mark, lines: 0, flagged: Vec::new() }
        });
        let enclosed = block.mark.as_ref().map_or_else(|| shown::barred(text), |mark| mark.enclosed(text));
        let is_flagged = shown::reads_like_instructions(text);
        let mut flagged = text.lines().map(shown::reads_like_instructions).zip(block.lines + 1..);
        let line = flagged.find_map(|(is_flagged, line)| is_flagged.then_some(line));
        block.flagged.extend(line.or(is_flagged.then_some(block.lines + 1)));
        block.lines += enclosed.split('\n').count();
        self.print(&enclosed);
    }

    /// Prints one of the two, whichever was asked for.
    pub(crate) fn either(&self, document: &impl Serialize, text: impl AsRef<str>) {
        self.json(document);
        self.line(text);
    }

    /// What is printed from here on may be more than a screen holds.
    pub(crate) fn may_be_long(&self) {
        if self.form == OutputFormat::Terminal {
            *self.pager.lock().unwrap_or_else(PoisonError::into_inner) = Pager::start();
        }
    }

    /// Prints rows for other programs as they are, without marks: the whole of standard output is data then. At a terminal
    /// hidden characters are written out.
    pub(crate) fn export(&self, text: &str) {
        let shown = shown::visible(text);
        if shown.as_ref() != text && self.form != OutputFormat::Terminal {
            diagnostics::note("the rows hold characters that aren't to be seen; they stand there as they are");
        }
        if shown::reads_like_instructions(text) {
            diagnostics::note("some of the rows are worded like instructions; data all the same");
        }
        self.print(if self.form == OutputFormat::Terminal { &shown } else { text });
    }

    /// Ends the block of data, where one is open, and waits until the reader has read.
    pub(crate) fn finish(&self) {
        self.end_block();
        drop(self.pager.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn end_block(&self) {
        let open = self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(block) = open else { return };
        if let Some(mark) = &block.mark {
            self.print(&mark.closing());
        }
        if !block.flagged.is_empty() {
            let lines: Vec<String> = block.flagged.iter().take(MOST_FLAGGED).map(usize::to_string).collect();
            let more = if block.flagged.len() > MOST_FLAGGED { ", …" } else { "" };
            self.print(&format!(
                "(Worded like instructions, data all the same: from line {}{more}.)",
                lines.join(", ")
            ));
        }
    }

    fn print_document(&self, document: &impl Serialize) {
        let mut tree = serde_json::to_value(document).expect("documents are maps with string keys");
        let places = shown::flagged(&tree);
        // As it stands, where nothing is added: numbers then have the digits of their own kind.
        let written = match &mut tree {
            serde_json::Value::Object(fields) if !places.is_empty() => {
                fields.insert("flagged".to_owned(), places.into());
                serde_json::to_string_pretty(&tree)
            }
            _ => {
                if !places.is_empty() {
                    diagnostics::note(&format!("worded like instructions, data all the same: {}", places.join(", ")));
                }
                serde_json::to_string_pretty(document)
            }
        };
        self.print(&shown::escaped(&written.expect("documents are maps with string keys")));
    }

    /// Writes a line to the pager or to standard output. A reader that has gone away (`… | head`) ends the program quietly,
    /// as it does for other programs in a pipe.
    fn print(&self, text: &str) {
        let mut pager = self.pager.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match pager.as_mut() {
            Some(pager) => pager.write_line(text),
            None => writeln!(std::io::stdout().lock(), "{text}"),
        };
        if let Err(error) = written {
            let is_gone = error.kind() == std::io::ErrorKind::BrokenPipe;
            if !is_gone {
                eprintln!("error[output]: standard output can't be written: {error}");
            }
            drop(pager.take());
            std::process::exit(i32::from(!is_gone));
        }
    }
}

/// So many of something: `1 table`, `12 tables`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Lines worded like instructions that are named.
const MOST_FLAGGED: usize = 8;
