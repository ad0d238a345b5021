//! The system message and the definitions of the tools, for models that work by calling them.

use catalog::Dialect;
use llm::ToolDefinition;
use serde_json::{Value, json};
use shown::Text;

use crate::options::Shape;
use crate::work::Correction;

/// What the system message is made of.
pub(crate) struct SystemParts<'p> {
    pub(crate) dialect: &'p Dialect,
    pub(crate) calls: usize,
    pub(crate) company: Option<&'p str>,
    /// The names of all tables, where they fit.
    pub(crate) all_tables: Option<&'p str>,
    /// The linked part of the catalog.
    pub(crate) context: &'p str,
    pub(crate) examples: &'p [(&'p str, &'p str)],
    pub(crate) corrections: &'p [Correction],
}

/// The system message. All that comes from the catalog and its users is one block of data.
pub(crate) fn system(parts: &SystemParts<'_>) -> Text {
    let calls = parts.calls.to_string();
    let values = [("dialect", parts.dialect.title()), ("calls", calls.as_str())];
    let mut text = Text::filled(include_str!("tools_system.txt"), &values);
    if let Some(company) = parts.company {
        text = text.and("\n## About the company").and_asked(company.trim());
    }
    let mut data = String::new();
    let mut section = |title: &str, body: &str| data.push_str(&format!("## {title}\n{}\n\n", body.trim()));
    if let Some(all) = parts.all_tables {
        section("All tables", all);
    }
    section("Context for this question", parts.context);
    if !parts.examples.is_empty() {
        let pairs: Vec<String> =
            parts.examples.iter().map(|(question, sql)| format!("Question: {question}\n{sql};")).collect();
        section("Approved answers to similar questions", &pairs.join("\n\n"));
    }
    if !parts.corrections.is_empty() {
        let pairs: Vec<String> = parts
            .corrections
            .iter()
            .map(|it| format!("Rejected{}: {}\nBecause: {}", it.whose(), it.sql, it.why))
            .collect();
        section("Corrections by people", &pairs.join("\n\n"));
    }
    text.and("").data(data.trim_end())
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// All that are configured.
    All {
        /// Whether a web search is among them.
        web: bool,
    },
    /// `submit` and `ask_user` alone, when one call is left.
    Finish,
}

/// The definitions.
pub(crate) fn definitions(shape: Shape, offer: Offer) -> Vec<ToolDefinition> {
    let mut tools = Vec::new();
    if let Offer::All { web } = offer {
        tools.push(tool(
            "search_context",
            "Tables and columns that fit a phrase, best 20, with stored values.",
            object(&[("query", "what to look for")]),
        ));
        tools.push(tool(
            "table_details",
            "One table: columns with types, values and meaning, keys, sample rows.",
            object(&[("table", "its name as listed")]),
        ));
        tools.push(tool(
            "run_sql",
            "Checks a query against the catalog and runs it; at most 20 rows come back.",
            object(&[("sql", "one query")]),
        ));
        if web {
            tools.push(tool(
                "web_search",
                "Searches the web for a term the database does not define.",
                object(&[("query", "what to look for")]),
            ));
        }
    }
    let submit = match shape {
        Shape::Query => object(&[
            ("analysis", "how the question was understood, with assumptions"),
            ("sql", "the query"),
            ("description", "what the query returns, one sentence"),
        ]),
        Shape::Finder => object(&[("sql", "the query"), ("description", "what the query returns, one sentence")]),
    };
    tools.push(tool("submit", "Hands in the final query; it is checked and run.", submit));
    tools.push(tool(
        "ask_user",
        "Asks the user when the question has several meanings.",
        object(&[("question", "one question, with the meanings to choose from")]),
    ));
    tools
}

fn tool(name: &str, description: &str, parameters: Value) -> ToolDefinition {
    ToolDefinition { name: name.to_owned(), description: description.to_owned(), parameters }
}

fn object(fields: &[(&str, &str)]) -> Value {
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, description)| ((*name).to_owned(), json!({"type": "string", "description": description})))
        .collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
