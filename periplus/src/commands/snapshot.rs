//! `periplus snapshot`: the schema as a file, for where no connection to the database is allowed.

use std::process::ExitCode;

use connect::SnapshotValues;
use serde_json::json;

use crate::args::SnapshotArguments;
use crate::output::{Output, counted};
use crate::project::{Project, ProjectError};

pub(super) fn run(arguments: &SnapshotArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let source = project.source(arguments.source.as_deref())?;
    let catalog = project.catalog()?;
    let values = if arguments.values { SnapshotValues::Include } else { SnapshotValues::Omit };
    let snapshot = connect::snapshot(&catalog, &source.id, values);
    let Some(path) = &arguments.file else {
        output.document(&snapshot);
        return Ok(ExitCode::SUCCESS);
    };
    // An earlier snapshot is written over, and nothing else.
    let is_snapshot = |text: String| {
        let document: Option<serde_json::Value> = serde_json::from_str(&text).ok();
        document.is_some_and(|document| document["tables"].is_array())
    };
    if path.exists() && !std::fs::read_to_string(path).is_ok_and(is_snapshot) {
        return Err(ProjectError::Exists { path: path.clone() }.into());
    }
    let mut text = serde_json::to_string_pretty(&snapshot)?;
    text.push('\n');
    std::fs::write(path, text).map_err(|source| ProjectError::Write { path: path.clone(), source })?;
    let tables = catalog.tables_of(&source.id).count();
    output.either(
        &json!({"path": path, "tables": tables}),
        format!("{}; elsewhere: periplus init snapshot:{}", counted(tables, "table"), path.display()),
    );
    Ok(ExitCode::SUCCESS)
}
