//! Standard output: one JSON document, or text for people.

use std::io::Write as _;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{ContentArrangement, Table};
use connect::{ResultSet, Value};
use serde::Serialize;

/// Where answers go.
pub(crate) struct Output {
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { form: if json { Form::Json } else { Form::Text } }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Prints a document; only where JSON was asked for.
    pub(crate) fn json(&self, document: &impl Serialize) {
        if self.is_json() {
            let text = serde_json::to_string_pretty(document).expect("documents are maps with string keys");
            print(&text);
        }
    }

    /// Prints a line; only where text was asked for.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.is_json() {
            print(text.as_ref());
        }
    }

    /// Prints one of the two, whichever was asked for.
    pub(crate) fn either(&self, document: &impl Serialize, text: impl AsRef<str>) {
        self.json(document);
        self.line(text);
    }
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

/// A table for people. Control characters from a database are shown, never sent to the terminal.
pub(crate) fn table(header: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic).set_width(width());
    table.set_header(header.iter().map(|cell| visible(cell)));
    for row in rows {
        table.add_row(row.iter().map(|cell| visible(cell)));
    }
    table.to_string()
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

fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            if character.is_control() && character != '\n' {
                character.escape_default().collect()
            } else {
                vec![character]
            }
        })
        .collect()
}

/// How wide text may be: the terminal's width where the shell exports it.
fn width() -> u16 {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|&columns| columns >= 40)
        .unwrap_or(120)
}
