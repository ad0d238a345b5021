//! `validate_query`: what the guard says about a statement, without a database.

use guard::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Definition;
use crate::budget::{Budget, Cut};
use crate::error::ToolError;
use crate::finding::{self, FindingLine};
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    sql: String,
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    accepted: bool,
    #[schemars(with = "Vec<serde_json::Value>")]
    findings: Vec<FindingLine>,
    /// The statement with what is certain repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

pub(super) fn document_schema() -> serde_json::Map<String, serde_json::Value> {
    schema::document::<Output>()
}

pub(super) fn definition() -> Definition {
    Definition::new::<Arguments, Output>(
        "validate_query",
        "Check SQL without running it: syntax, names, values, safety. Findings say what to change.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let source = names::source(&snapshot.catalog, arguments.source.as_deref())?;
    let policy = session.policy(None);
    let verdict = match session.context.connector(source) {
        Some(Ok(connector)) => guard::verify(&arguments.sql, &snapshot.catalog, connector.as_ref(), &policy)
            .await
            .map_err(|error| ToolError::from_guard(error, session.reply_tokens()))?,
        // The catalog alone can still say most of it.
        Some(Err(_)) | None => guard::check(&arguments.sql, &snapshot.catalog, source, &policy, None),
    };
    let mut budget = Budget::new(session.reply_tokens());
    let rewrite = verdict.first_rewrite().map(str::to_owned).filter(|rewrite| budget.fits(rewrite));
    let accepted = verdict.decision == Decision::Accept;
    let (findings, omitted) = finding::lines(verdict.findings, &mut budget);
    let truncated = Cut::of(omitted, "findings", "repair these first and check again").into_iter().collect();
    session.reply(&Output { accepted, findings, rewrite, truncated })
}
