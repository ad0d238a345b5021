//! Tables and results, for people and for programs.

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{ContentArrangement, Table};
use connect::{ResultSet, Value};

use super::MOST_FLAGGED;
use crate::args::RowFormat;

/// Characters that a cell wants at least before a table is too wide.
const NARROWEST_CELL: usize = 12;

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

/// A result for people, in the form they asked for or the one that can be read where they are.
pub(crate) fn result_text(result: &ResultSet, format: Option<RowFormat>) -> String {
    match format {
        Some(RowFormat::Vertical) => vertical(result),
        None if is_too_wide(result) => vertical(result),
        _ => result_table(result, usize::MAX),
    }
}

/// Whether cells would be broken into pieces at this terminal. A reader of a pipe has no width.
fn is_too_wide(result: &ResultSet) -> bool {
    let widest = |place: usize| {
        let cells = result.rows.iter().filter_map(|row| row.get(place)).map(|value| cell(value).chars().count());
        let longest = cells.max().unwrap_or_default().min(NARROWEST_CELL);
        result.columns[place].chars().count().max(longest) + 3
    };
    let needed: usize = (0..result.columns.len()).map(widest).sum();
    terminal_width().is_some_and(|width| needed > usize::from(width))
}

/// A line for each value, under the number of its row.
fn vertical(result: &ResultSet) -> String {
    let name_width = result.columns.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for (row, number) in result.rows.iter().zip(1..) {
        lines.push(format!("── row {number}"));
        for (name, value) in result.columns.iter().zip(row) {
            let indent = " ".repeat(name_width + 2);
            let text = shown::visible(&cell(value)).replace('\n', &format!("\n{indent}"));
            lines.push(format!("{:name_width$}  {text}", shown::one_line(name)));
        }
    }
    if result.rows.is_empty() {
        lines.push(format!("no rows; columns: {}", result.columns.join(", ")));
    }
    lines.extend(result.truncated.as_ref().map(|reason| format!("truncated: {reason}")));
    lines.join("\n")
}

/// A result as RFC 4180 has it, but for the ends of lines, which are those of other programs here. As PostgreSQL writes it,
/// NULL is an empty field and an empty text `""`, which writers of CSV for general use don't tell apart.
pub(crate) fn result_csv(result: &ResultSet) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let field = |text: String| match text.is_empty() || text.contains(['"', ',', '\n', '\r']) {
        true => quoted(&text),
        false => text,
    };
    let header = result.columns.iter().cloned().map(field).collect::<Vec<_>>().join(",");
    let rows = result.rows.iter().map(|row| {
        let fields = row.iter().map(|value| value.as_text().map_or_else(String::new, field));
        fields.collect::<Vec<_>>().join(",")
    });
    std::iter::once(header).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Rows that are shown beyond those that were asked for.
const FEW_MORE: usize = 3;

/// A result for people as a table, with what was cut.
pub(crate) fn result_table(result: &ResultSet, most: usize) -> String {
    // A line that says how many more there are is as long as they would be.
    let most = if result.rows.len() <= most.saturating_add(FEW_MORE) { usize::MAX } else { most };
    let rows = result.rows.iter().take(most).map(|row| row.iter().map(cell).collect());
    let mut text = table(&result.columns, rows);
    let hidden = result.rows.len().saturating_sub(most);
    if hidden > 0 {
        text.push_str(&format!("\n… and {hidden} more rows; `periplus query` with the statement shows all"));
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

/// How wide text may be: the terminal's width, less the bar.
fn width() -> u16 {
    /// Where nobody tells: what most screens hold beside each other.
    const ELSEWHERE: u16 = 120;
    const LEAST: u16 = 40;
    terminal_width().map_or(ELSEWHERE, |columns| columns.max(LEAST) - 2)
}

/// The width of the terminal, where standard output is one, or what the shell says of it.
fn terminal_width() -> Option<u16> {
    #[cfg(unix)]
    let asked =
        rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col).filter(|&width| width > 0);
    #[cfg(not(unix))]
    let asked = None;
    asked.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use connect::{ResultSet, Value};

    use super::{result_csv, vertical};

    fn result() -> ResultSet {
        ResultSet {
            columns: vec!["id".into(), "said, by whom".into()],
            rows: vec![
                vec![Value::Integer(1), Value::Text("two \"lines\"\nof it".into())],
                vec![Value::Integer(2), Value::Null],
                vec![Value::Integer(3), Value::Text(String::new())],
            ],
            truncated: None,
            elapsed: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn csv_quotes_what_would_end_a_field_and_tells_null_from_nothing() {
        assert_eq!(result_csv(&result()), "id,\"said, by whom\"\n1,\"two \"\"lines\"\"\nof it\"\n2,\n3,\"\"");
    }

    #[test]
    fn a_row_is_read_downwards() {
        let text = vertical(&result());
        assert!(
            text.starts_with(
                "── row 1\nid             1\nsaid, by whom  two \"lines\"\n               of it\n── row 2"
            )
        );
        assert!(text.contains("said, by whom  NULL"), "{text}");
    }
}
