//! Standard output: one JSON document, or text for people.
//!
//! Whoever reads it may be an agent with a shell, and terminals obey what they are sent. So all text that isn't compiled in
//! stands between marks, hidden characters are written out, and what is worded like instructions is said to be. At a terminal,
//! where people read, each line of it stands behind a bar instead. In a document strings end where JSON says; they are what
//! they were, in JSON's own escapes, and `flagged` names places.
//!
//! Invariant: [`print()`] is called here alone, with what is compiled in or has been enclosed.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{ContentArrangement, Table};
use connect::{ResultSet, Value};
use serde::Serialize;
use shown::Mark;

use crate::diagnostics;

/// Where answers go.
pub(crate) struct Output {
    form: Form,
    /// The block of data that lines go into, as long as nothing of ours is to be said.
    block: Mutex<Option<Block>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
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
            true => Form::Json,
            false if std::io::stdout().is_terminal() => Form::Terminal,
            false => Form::Text,
        };
        Self { form, block: Mutex::new(None) }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Prints a document; only where JSON was asked for.
    pub(crate) fn json(&self, document: &impl Serialize) {
        if self.is_json() {
            print_document(document);
        }
    }

    /// Prints a document whatever was asked for, where there is no other form of it.
    pub(crate) fn document(&self, document: &impl Serialize) {
        print_document(document);
    }

    /// Prints words of ours; only where text was asked for.
    pub(crate) fn say(&self, words: &'static str) {
        if !self.is_json() {
            self.finish();
            print(words);
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
            let mark = (self.form == Form::Text).then(Mark::random);
            if let Some(mark) = &mark {
                print(&mark.opening());
            }
            Block { mark, lines: 0, flagged: Vec::new() }
        });
        let enclosed = block.mark.as_ref().map_or_else(|| shown::barred(text), |mark| mark.enclosed(text));
        let is_flagged = shown::reads_like_instructions(text);
        let mut flagged = text.lines().map(shown::reads_like_instructions).zip(block.lines + 1..);
        let line = flagged.find_map(|(is_flagged, line)| is_flagged.then_some(line));
        block.flagged.extend(line.or(is_flagged.then_some(block.lines + 1)));
        block.lines += enclosed.split('\n').count();
        print(&enclosed);
    }

    /// Prints one of the two, whichever was asked for.
    pub(crate) fn either(&self, document: &impl Serialize, text: impl AsRef<str>) {
        self.json(document);
        self.line(text);
    }

    /// Ends the block of data, where one is open.
    pub(crate) fn finish(&self) {
        let open = self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(block) = open else { return };
        if let Some(mark) = &block.mark {
            print(&mark.closing());
        }
        if !block.flagged.is_empty() {
            let lines: Vec<String> = block.flagged.iter().take(MOST_FLAGGED).map(usize::to_string).collect();
            let more = if block.flagged.len() > MOST_FLAGGED { ", …" } else { "" };
            print(&format!("(Worded like instructions, data all the same: from line {}{more}.)", lines.join(", ")));
        }
    }
}

/// Lines worded like instructions that are named.
const MOST_FLAGGED: usize = 8;

fn print_document(document: &impl Serialize) {
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
    print(&shown::escaped(&written.expect("documents are maps with string keys")));
}

/// Writes a line to standard output. A reader that has gone away (`… | head`) ends the program quietly, as it does for
/// other programs in a pipe.
fn print(text: &str) {
    if let Err(error) = writeln!(std::io::stdout().lock(), "{text}") {
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            eprintln!("error[output]: standard output can't be written: {error}");
        }
        std::process::exit(i32::from(error.kind() != std::io::ErrorKind::BrokenPipe));
    }
}

/// A table for people. Cells that are worded like instructions are named below it, since a cell may be broken over lines.
pub(crate) fn table(header: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic).set_width(width());
    table.set_header(header.iter().map(|cell| shown::one_line(cell).into_owned()));
    let mut flagged: Vec<String> = Vec::new();
    let header = header.iter().filter(|cell| shown::reads_like_instructions(cell)).count();
    if header > 0 {
        flagged.push("the header".to_owned());
    }
    for (row, number) in rows.into_iter().zip(1..) {
        if row.iter().any(|cell| shown::reads_like_instructions(cell)) {
            flagged.push(format!("row {number}"));
        }
        table.add_row(row.iter().map(|cell| shown::visible(cell).into_owned()));
    }
    let mut text = table.to_string();
    if !flagged.is_empty() {
        let more = if flagged.len() > MOST_FLAGGED { ", …" } else { "" };
        flagged.truncate(MOST_FLAGGED);
        text.push_str(&format!("\nworded like instructions, data all the same: {}{more}", flagged.join(", ")));
    }
    text
}

/// A result for people, with what was cut.
pub(crate) fn result_table(result: &ResultSet, most: usize) -> String {
    let rows = result.rows.iter().take(most).map(|row| row.iter().map(cell).collect());
    let mut text = table(&result.columns, rows);
    let hidden = result.rows.len().saturating_sub(most);
    if hidden > 0 {
        text.push_str(&format!("\n… and {hidden} more rows"));
    }
    if let Some(reason) = &result.truncated {
        text.push_str(&format!("\ntruncated: {reason}"));
    }
    text
}

/// A result for programs: column names, rows as arrays, whether it was cut.
pub(crate) fn result_json(result: &ResultSet) -> serde_json::Value {
    let rows: Vec<Vec<serde_json::Value>> =
        result.rows.iter().map(|row| row.iter().map(Value::to_json).collect()).collect();
    serde_json::json!({"columns": result.columns, "rows": rows, "truncated": result.truncated})
}

fn cell(value: &Value) -> String {
    value.as_text().unwrap_or_else(|| "NULL".to_owned())
}

/// How wide text may be: the terminal's width where the shell exports it, less the bar.
fn width() -> u16 {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|&columns| columns >= 40)
        .map_or(120, |columns: u16| columns - 2)
}
