//! The prompts: one file each, with its text beside it.
//!
//! They are short on purpose. On two cores a local model reads some sixty tokens a second, so a sentence of advice
//! costs every question a second. Longer instructions have not been seen to help: on 60 questions of a training set, a
//! system message of two sentences and one of four answered the same number right.
//!
//! Invariant: what stays the same between calls comes first and what changes comes last, so that a model that keeps
//! its prefix reads only the difference.

pub(crate) mod decompose;
pub(crate) mod draft;
pub(crate) mod repair;
pub(crate) mod rewrite;
pub(crate) mod schema;
pub(crate) mod tools;

use catalog::Dialect;
use llm::{ChatRequest, Message, Role};

/// Room for one statement.
pub(crate) const STATEMENT_TOKENS: u32 = 320;

/// A message of that role.
pub(crate) fn message(role: Role, content: impl Into<String>) -> Message {
    Message { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
}

/// A request without tools, greedy, for one statement.
pub(crate) fn statement_request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { max_tokens: STATEMENT_TOKENS, ..ChatRequest::new(messages) }
}

/// `text` with each `{name}` replaced by its value.
pub(crate) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text.trim_end();
    // One pass from left to right, so that braces inside a value are never taken for a placeholder.
    'text: while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        for (name, value) in values {
            if let Some(after) = rest[open + 1..].strip_prefix(name).and_then(|after| after.strip_prefix('}')) {
                filled.push_str(value);
                rest = after;
                continue 'text;
            }
        }
        filled.push('{');
        rest = &rest[open + 1..];
    }
    filled.push_str(rest);
    filled
}

/// The dialect's name as models have seen it written.
pub(crate) fn dialect_name(dialect: &Dialect) -> &str {
    match dialect {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
        Dialect::Mysql => "MySQL",
        Dialect::Duckdb => "DuckDB",
        Dialect::Clickhouse => "ClickHouse",
        Dialect::Other(name) => match name.as_str() {
            "bigquery" => "BigQuery",
            "snowflake" => "Snowflake",
            _ => name,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn fills_placeholders_and_leaves_other_braces() {
        let values = [("a", "{b}"), ("b", "2")];
        assert_eq!(fill("{a} and {b} and {c} and {\n", &values), "{b} and 2 and {c} and {");
    }
}
