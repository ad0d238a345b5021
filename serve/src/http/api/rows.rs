//! Rows of a statement in the form that a program asks for.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use connect::ResultSet;
use guard::Answer;
use serde_json::{Map, Value};

use super::Problem;
use crate::session::Session;
use crate::tools;

/// Where rows that stand alone say that they aren't all.
const CUT: &str = "periplus-limit-reached";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One document, with findings and limits.
    Json,
    Csv(For),
    /// An object a row, a row a line.
    Lines,
}

/// Who reads a file of values with commas between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// A program, which gets every text as it is.
    Program,
    /// A spreadsheet, which computes texts that begin like a formula: an apostrophe stands before them.
    Spreadsheet,
}

impl Form {
    /// The first form in `Accept` that there is.
    pub(super) fn wanted(headers: &HeaderMap) -> Result<Self, Problem> {
        let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut kinds = accepted.flat_map(|value| value.split(','));
        let Some(first) = kinds.next() else { return Ok(Self::Json) };
        let known = |kind: &str| {
            let kind = kind.to_ascii_lowercase();
            let mut parts = kind.split(';').map(str::trim);
            match parts.next().unwrap_or_default() {
                "application/json" | "application/*" | "*/*" => Some(Self::Json),
                "text/csv" | "text/*" if parts.any(|part| part.replace([' ', '"'], "") == "for=spreadsheet") => {
                    Some(Self::Csv(For::Spreadsheet))
                }
                "text/csv" | "text/*" => Some(Self::Csv(For::Program)),
                "application/x-ndjson" | "application/jsonl" => Some(Self::Lines),
                _ => None,
            }
        };
        known(first).or_else(|| kinds.find_map(known)).ok_or_else(|| {
            Problem::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", "rows can't be given in that form")
                .hint("accept application/json, text/csv or application/x-ndjson")
        })
    }

    pub(super) fn answer(self, answer: Answer, session: &Session) -> Result<Response, Problem> {
        let (kind, text) = match self {
            Self::Json => {
                let document = tools::answered(answer, session)?;
                return Ok(Json(document.structured()).into_response());
            }
            Self::Csv(reader) => ("text/csv; charset=utf-8", csv(&answer.result, reader) + "\n"),
            Self::Lines => ("application/x-ndjson", lines(&answer.result)),
        };
        let mut response = ([(header::CONTENT_TYPE, kind)], text).into_response();
        if let Some(limit) = &answer.result.truncated
            && let Ok(limit) = HeaderValue::from_str(limit)
        {
            response.headers_mut().insert(CUT, limit);
        }
        Ok(response)
    }
}

/// RFC 4180, without the last line end: NULL is an empty field, an empty text is quoted.
fn csv(result: &ResultSet, reader: For) -> String {
    // <https://owasp.org/www-community/attacks/CSV_Injection>; what is a number stays one.
    let computes = |text: &str| {
        text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err()
    };
    let field = |text: &str| {
        let mark = if reader == For::Spreadsheet && computes(text) { "'" } else { "" };
        // Some spreadsheets take a semicolon or a tab for the end of a field, unless it stands between quotes.
        let is_quoted = reader == For::Spreadsheet && text.parse::<f64>().is_err();
        match is_quoted || text.is_empty() || text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{mark}{}\"", text.replace('"', "\"\"")),
            false => format!("{mark}{text}"),
        }
    };
    let row = |row: &Vec<connect::Value>| {
        let fields = row.iter().map(|value| match value.to_json() {
            Value::Null => String::new(),
            Value::String(text) => field(&text),
            other => field(&other.to_string()),
        });
        fields.collect::<Vec<_>>().join(",")
    };
    let header = result.columns.iter().map(|column| field(column)).collect::<Vec<_>>().join(",");
    std::iter::once(header).chain(result.rows.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn lines(result: &ResultSet) -> String {
    let mut names: Vec<String> = Vec::with_capacity(result.columns.len());
    for column in &result.columns {
        let taken = |name: &String| names.contains(name);
        let numbered = (2..).map(|number| format!("{column}_{number}"));
        names.extend(std::iter::once(column.clone()).chain(numbered).find(|name| !taken(name)));
    }
    let mut text = String::new();
    for row in &result.rows {
        let fields = names.iter().cloned().zip(row.iter().map(connect::Value::to_json));
        text.push_str(&Value::Object(fields.collect::<Map<_, _>>()).to_string());
        text.push('\n');
    }
    text
}
