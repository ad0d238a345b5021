//! The tools, one file each: what it is called with, what it answers, and how.
//!
//! They know nothing of the protocol. A tool takes its arguments as JSON and gives a [`Reply`] or a [`ToolError`];
//! [`crate::mcp`] puts that on the wire.

mod ask;
mod describe_table;
mod documenting;
mod feedback;
mod join_info;
mod list_tables;
mod query;
mod search_context;
mod validate_query;

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::caller::Rights;
use crate::error::ToolError;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

/// What a client is told about a tool.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) input: Map<String, Value>,
    /// `None` of a tool whose answer is read and not taken apart.
    pub(crate) output: Option<Map<String, Value>>,
    /// Whether it writes, into the catalog: no tool writes into a database.
    pub(crate) writes: bool,
}

/// How an answer is written that is mostly read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    Text,
    Json,
}

impl Definition {
    fn new<Arguments: JsonSchema, Output: JsonSchema>(name: &'static str, description: &'static str) -> Self {
        Self { output: Some(schema::output::<Output>()), ..Self::read::<Arguments>(name, description) }
    }

    /// One that answers with text.
    fn read<Arguments: JsonSchema>(name: &'static str, description: &'static str) -> Self {
        Self { name, description, input: schema::input::<Arguments>(), output: None, writes: false }
    }

    /// The same, for a tool that writes into the catalog.
    fn writing(self) -> Self {
        Self { writes: true, ..self }
    }
}

pub(crate) use ask::{Arguments as AskBody, NAME as ASK, answer, reply as answer_of};
pub(crate) use documenting::TASK;
pub(crate) use feedback::{Arguments as FeedbackBody, keep as keep_feedback, may_see, unknown as unknown_memory};
pub(crate) use list_tables::confidence;
pub(crate) use query::{answered, rows, shortened};

/// The schema of the document that a tool answers a program with; without fields where there is no such tool.
pub(crate) fn document_schema(tool: &str) -> Map<String, Value> {
    match tool {
        "list_tables" => list_tables::document_schema(),
        "describe_table" => describe_table::document_schema(),
        "get_join_info" => join_info::document_schema(),
        "search_context" => search_context::document_schema(),
        "validate_query" => validate_query::document_schema(),
        "read_query" => query::document_schema(),
        ask::NAME => ask::document_schema(),
        _ => Map::new(),
    }
}

/// The tools that document the database, which are offered only where that is asked for.
pub(crate) fn documenting_definitions() -> Vec<Definition> {
    vec![documenting::next_definition(), documenting::document_definition()]
}

/// The tool that has the server's model answer.
pub(crate) fn ask_definition() -> Definition {
    ask::definition()
}

/// The tool by which approvers say what is right.
pub(crate) fn feedback_definition() -> Definition {
    feedback::definition()
}

/// All tools for questions, in the order in which an agent needs them.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![
        list_tables::definition(),
        describe_table::definition(),
        join_info::definition(),
        search_context::definition(),
        validate_query::definition(),
        query::read_definition(),
        query::submit_definition(),
    ]
}

/// The name of a tool, whoever is offered it; `unknown` where there is none of that name.
pub(crate) fn known(name: &str) -> &'static str {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let all = definitions().into_iter().chain(documenting_definitions()).chain([feedback_definition()]);
        // What programs alone ask for counts like a tool.
        all.map(|tool| tool.name).chain([ask::NAME, "history"]).collect()
    });
    names.iter().find(|known| **known == name).copied().unwrap_or("unknown")
}

/// Calls a tool; `None` where there is none of that name.
pub(crate) async fn call(session: &Session, name: &str, arguments: Value) -> Option<Result<Reply, ToolError>> {
    let is_documenting = session.context.options().documenting.is_some();
    Some(match name {
        "list_tables" => match read(arguments) {
            Ok(arguments) => list_tables::run(session, arguments).await,
            Err(error) => Err(error),
        },
        "describe_table" => match read(arguments) {
            Ok(arguments) => describe_table::run(session, arguments).await,
            Err(error) => Err(error),
        },
        "get_join_info" => match read(arguments) {
            Ok(arguments) => join_info::run(session, arguments).await,
            Err(error) => Err(error),
        },
        "search_context" => match read(arguments) {
            Ok(arguments) => search_context::run(session, arguments).await,
            Err(error) => Err(error),
        },
        "validate_query" => match read(arguments) {
            Ok(arguments) => validate_query::run(session, arguments).await,
            Err(error) => Err(error),
        },
        "read_query" => match read(arguments) {
            Ok(arguments) => query::read(session, arguments).await,
            Err(error) => Err(error),
        },
        "submit_query" => match read(arguments) {
            Ok(arguments) => query::submit(session, arguments).await,
            Err(error) => Err(error),
        },
        ask::NAME if session.context.options().asking.as_ref().is_some_and(|asking| asking.is_for_agents()) => {
            match read(arguments) {
                Ok(arguments) => ask::run(session, arguments).await,
                Err(error) => Err(error),
            }
        }
        feedback::NAME if session.has_named_caller() => {
            match session.must_be(Rights::Approver).and_then(|()| read(arguments)) {
                Ok(arguments) => feedback::run(session, arguments).await,
                Err(error) => Err(error),
            }
        }
        "next_to_document" if is_documenting => {
            match session.must_be(Rights::Approver).and_then(|()| read(arguments)) {
                Ok(arguments) => documenting::next(session, arguments).await,
                Err(error) => Err(error),
            }
        }
        "document_tables" if is_documenting => match session.must_be(Rights::Approver).and_then(|()| read(arguments)) {
            Ok(arguments) => documenting::document(session, arguments).await,
            Err(error) => Err(error),
        },
        _ => return None,
    })
}

/// Bytes of a statement, and of any other text, that are looked at: work grows with them.
const STATEMENT_BYTES: usize = 100_000;
const TEXT_BYTES: usize = 20_000;

/// Whether an argument isn't longer than anybody needs.
fn fits(name: &str, text: &str) -> Result<(), ToolError> {
    let most = if name == "sql" { STATEMENT_BYTES } else { TEXT_BYTES };
    match text.len() <= most {
        true => Ok(()),
        false => {
            let said = format!("`{name}` has {} bytes; {most} are looked at", text.len());
            Err(ToolError::new("text_too_long", said).hint("say less, or ask in parts"))
        }
    }
}

/// The same of all texts in it, by the names that they stand under.
pub(crate) fn all_fit(arguments: &Value) -> Result<(), ToolError> {
    fn fit(name: &str, value: &Value) -> Result<(), ToolError> {
        match value {
            Value::String(text) => fits(name, text),
            Value::Array(values) => values.iter().try_for_each(|value| fit(name, value)),
            Value::Object(fields) => fields.iter().try_for_each(|(name, value)| fit(name, value)),
            _ => Ok(()),
        }
    }
    fit("arguments", arguments)
}

fn read<Arguments: DeserializeOwned>(arguments: Value) -> Result<Arguments, ToolError> {
    all_fit(&arguments)?;
    serde_json::from_value(arguments).map_err(|error| {
        ToolError::new("invalid_arguments", error.to_string())
            .hint("see the tool's input schema; unknown arguments are errors")
    })
}
