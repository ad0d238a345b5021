//! What can be asked of the interface for programs, and the OpenAPI 3.1 document that says so.
//!
//! Schemas are those of the types that are read and written, so the document says what the code does.

use catalog::Memory;
use describe::{TextEdits, Texts};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{
    CallerDocument, CheckBody, GraphQuery, History, HistoryQuery, JoinsQuery, LinkBody, NeighboursQuery, QueryBody,
    Remembered, SearchQuery, Sources, Status, TablesQuery, Terms, asked, index_runs, pictures,
};
use crate::caller::Rights;
use crate::http::problem::Details;
use crate::indexing::{IndexWanted, RunDocument};
use crate::tools::{self, AskBody, FeedbackBody};

/// One thing that can be asked for.
pub(super) struct Operation {
    pub(super) method: &'static str,
    /// Under `/api/v1`, with `{…}` for its parts that vary.
    pub(super) path: &'static str,
    /// Its name in clients that are made from the document.
    id: &'static str,
    summary: &'static str,
    rights: Rights,
    /// The schema of what stands behind the question mark.
    parameters: Option<Value>,
    /// The schema of the body.
    body: Option<Value>,
    answer: Given,
}

/// What comes back.
struct Given {
    status: u16,
    what: &'static str,
    /// By the kind of document.
    content: Vec<(&'static str, Value)>,
}

impl Operation {
    fn new(method: &'static str, path: &'static str, id: &'static str, summary: &'static str, answer: Given) -> Self {
        Self { method, path, id, summary, rights: Rights::Reader, parameters: None, body: None, answer }
    }

    fn with<Parameters: JsonSchema>(self) -> Self {
        Self { parameters: Some(schema::<Parameters>(false)), ..self }
    }

    fn taking<Body: JsonSchema>(self) -> Self {
        Self { body: Some(schema::<Body>(false)), ..self }
    }

    fn only(self, rights: Rights) -> Self {
        Self { rights, ..self }
    }
}

impl Given {
    fn document(what: &'static str, schema: Value) -> Self {
        Self { status: 200, what, content: vec![("application/json", schema)] }
    }
}

/// Everything, in the order of the documentation.
pub(super) fn all() -> Vec<Operation> {
    let tool = |name: &str| Value::Object(tools::document_schema(name));
    let rows = Given {
        status: 200,
        what: "The rows. With CSV and lines, the header `Periplus-Limit-Reached` says why they aren't all. \
               `Accept: text/csv; for=spreadsheet` puts an apostrophe before texts that a spreadsheet would compute.",
        content: vec![
            ("application/json", tool("read_query")),
            ("text/csv", json!({"type": "string"})),
            ("application/x-ndjson", json!({"type": "string"})),
        ],
    };
    let ask = Given {
        status: 200,
        what: "The answer, a draft with what speaks against it, or what is missing for one. As events, each step comes as \
               `step`, and the same document as `answer`, or a problem as `problem`, at the end.",
        content: vec![("application/json", tool("ask")), (asked::EVENTS, json!({"type": "string"}))],
    };
    let made = Given { status: 201, ..Given::document("What is kept.", schema::<Memory>(true)) };
    let gone = Given { status: 204, what: "It is no longer used.", content: Vec::new() };
    vec![
        Operation::new(
            "get",
            "/openapi.json",
            "getOpenapi",
            "This document.",
            Given::document("An OpenAPI document.", json!({"type": "object"})),
        ),
        Operation::new(
            "get",
            "/caller",
            "getCaller",
            "Who the server takes the caller for, and what they may do.",
            Given::document("The caller.", schema::<CallerDocument>(true)),
        ),
        Operation::new(
            "get",
            "/status",
            "getStatus",
            "What is served, and since when.",
            Given::document("The state of the catalog.", schema::<Status>(true)),
        ),
        Operation::new(
            "get",
            "/sources",
            "listSources",
            "The databases.",
            Given::document("All of them.", schema::<Sources>(true)),
        ),
        Operation::new(
            "get",
            "/tables",
            "listTables",
            "Tables by name, page by page. A family of tables by date counts as one.",
            Given::document("A page of tables; `next_cursor` where there are more.", with_cursor(tool("list_tables"))),
        )
        .with::<TablesQuery>(),
        Operation::new(
            "get",
            "/tables/{source}/{table}",
            "getTable",
            "All that is known about a table: columns with values and ranges, keys, who refers to it, notes, sample rows.",
            Given::document("The table.", tool("describe_table")),
        ),
        Operation::new(
            "get",
            "/tables/{source}/{table}/profile",
            "getProfile",
            "How a table's values are distributed, for pictures.",
            Given::document("The profile.", schema::<pictures::ProfileDocument>(true)),
        ),
        Operation::new(
            "get",
            "/tables/{source}/{table}/texts",
            "getTexts",
            "What is written of a table and its columns, and what of it people wrote.",
            Given::document("The texts.", schema::<Texts>(true)),
        ),
        Operation::new(
            "patch",
            "/tables/{source}/{table}/texts",
            "writeTexts",
            "Writes texts, which agents and the Markdown catalog have at once. With `If-Match` only where they are what was read.",
            Given::document("The texts as they are now.", schema::<Texts>(true)),
        )
        .taking::<TextEdits>()
        .only(Rights::Approver),
        Operation::new(
            "get",
            "/tables/{source}/{table}/neighbours",
            "getNeighbours",
            "The tables around one: those that refer to it and those it refers to, with the keys between them.",
            Given::document("A part of the graph of keys.", schema::<pictures::Graph>(true)),
        )
        .with::<NeighboursQuery>(),
        Operation::new(
            "get",
            "/graph",
            "getGraph",
            "A source's tables and the keys between them; of a large one its areas, and with `area` the tables of one.",
            Given::document("The graph, or a part of it.", schema::<pictures::SchemaGraph>(true)),
        )
        .with::<GraphQuery>(),
        Operation::new(
            "get",
            "/joins",
            "getJoins",
            "How tables join, over as few steps as possible.",
            Given::document("The joins.", tool("get_join_info")),
        )
        .with::<JoinsQuery>(),
        Operation::new(
            "get",
            "/search",
            "search",
            "Descriptions, values, queries people run and approved examples that fit a text.",
            Given::document("Passages, best first.", tool("search_context")),
        )
        .with::<SearchQuery>(),
        Operation::new(
            "post",
            "/link",
            "link",
            "What a question needs: the tables that matter, best first, and those that can be put aside.",
            Given::document("The tables, with values and joins.", tool("list_tables")),
        )
        .taking::<LinkBody>(),
        Operation::new(
            "post",
            "/check",
            "check",
            "What is wrong with a statement. It doesn't run.",
            Given::document("The findings.", tool("validate_query")),
        )
        .taking::<CheckBody>(),
        Operation::new("post", "/query", "query", "Runs a statement, once it is checked. A refusal is a 422.", rows)
            .taking::<QueryBody>(),
        Operation::new(
            "post",
            "/ask",
            "ask",
            "Has the configured model answer a question, behind the same checks.",
            ask,
        )
        .taking::<AskBody>(),
        Operation::new(
            "get",
            "/terms",
            "listTerms",
            "What the words of the company mean here, and what is proposed for them.",
            Given::document("All terms that the caller may see.", schema::<Terms>(true)),
        ),
        Operation::new(
            "get",
            "/feedback",
            "listFeedback",
            "What people said of answers.",
            Given::document("All of it, what was taken back too.", schema::<Remembered>(true)),
        ),
        Operation::new(
            "post",
            "/feedback",
            "giveFeedback",
            "Approves the statement that answers a question, or says what is wrong with it.",
            made,
        )
        .taking::<FeedbackBody>()
        .only(Rights::Approver),
        Operation::new("delete", "/feedback/{id}", "undoFeedback", "Takes back what somebody said.", gone)
            .only(Rights::Approver),
        Operation::new(
            "get",
            "/history",
            "getHistory",
            "What was asked of the databases: of an administrator all of it, of others their own.",
            Given::document("Records of statements, the oldest first.", schema::<History>(true)),
        )
        .with::<HistoryQuery>(),
        Operation::new(
            "post",
            "/index-runs",
            "startIndexRun",
            "Has the databases looked at again, as `periplus index` does; one run at a time.",
            Given { status: 202, ..Given::document("The run, at its beginning.", schema::<RunDocument>(true)) },
        )
        .taking::<IndexWanted>()
        .only(Rights::Admin),
        Operation::new(
            "get",
            "/index-runs",
            "listIndexRuns",
            "The last runs that were started here.",
            Given::document("Runs, the newest first.", schema::<index_runs::Runs>(true)),
        )
        .only(Rights::Admin),
        Operation::new(
            "get",
            "/index-runs/{id}",
            "getIndexRun",
            "How far a run is, or what it came to.",
            Given::document("The run.", schema::<RunDocument>(true)),
        )
        .only(Rights::Admin),
        Operation::new(
            "delete",
            "/index-runs/{id}",
            "cancelIndexRun",
            "Has a run end; what it has finished stays, and the next one goes on from there.",
            Given { status: 202, ..Given::document("The run.", schema::<RunDocument>(true)) },
        )
        .only(Rights::Admin),
    ]
}

/// The OpenAPI document.
pub(super) fn openapi() -> Value {
    let mut paths = Map::new();
    for operation in all() {
        let path = format!("/api/v1{}", operation.path);
        let described = described(&operation);
        if let Value::Object(methods) = paths.entry(path).or_insert_with(|| json!({})) {
            methods.insert(operation.method.to_owned(), described);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Periplus",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A catalog of databases, and statements that are checked before they run.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": schema::<Details>(true)},
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "Made by `periplus token create`; not needed where the server runs for its own machine.",
            }},
        },
    })
}

fn described(operation: &Operation) -> Value {
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| {
            let schema =
                if name == "id" { json!({"type": "integer", "format": "int64"}) } else { json!({"type": "string"}) };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        })
        .collect();
    let required =
        |schema: &Value, name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    if let Some(schema) = &operation.parameters {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let mut property = property.clone();
            let description = property.as_object_mut().and_then(|fields| fields.shift_remove("description"));
            let mut parameter =
                json!({"name": name, "in": "query", "required": required(schema, name), "schema": property});
            if let Some(description) = description {
                parameter["description"] = description;
            }
            parameters.push(parameter);
        }
    }
    let summary = match operation.rights {
        Rights::Reader => operation.summary.to_owned(),
        rights => format!("{} For the rights of {} and above.", operation.summary, rights.name()),
    };
    let mut answer = json!({"description": operation.answer.what});
    if !operation.answer.content.is_empty() {
        let content = operation.answer.content.iter();
        let content = content.map(|(kind, schema)| ((*kind).to_owned(), json!({"schema": schema})));
        answer["content"] = content.collect::<Map<_, _>>().into();
    }
    let problem = json!({
        "description": "What went wrong, with a code and often a hint.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    });
    let mut responses = Map::from_iter([(operation.answer.status.to_string(), answer)]);
    if operation.method == "get" {
        responses.insert("304".to_owned(), json!({"description": "It is what the request's `If-None-Match` names."}));
    }
    responses.insert("default".to_owned(), problem);
    let mut described = json!({"operationId": operation.id, "summary": summary, "responses": responses});
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(body) = &operation.body {
        described["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": body}}});
    }
    described
}

/// A type as it is read, or as it is written.
fn schema<T: JsonSchema>(is_written: bool) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = if is_written { settings.for_serialize() } else { settings };
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("title");
    }
    schema
}

fn with_cursor(mut page: Value) -> Value {
    page["properties"]["next_cursor"] = json!({
        "type": "string", "description": "What the next page is asked for with; missing on the last one.",
    });
    page
}
