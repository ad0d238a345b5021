//! `periplus init DSN`: a configuration for one database, after looking whether the database is there.

use std::process::ExitCode;

use serde_json::json;

use crate::args::{Global, InitArguments};
use crate::config::{FILE_NAME, check_source_id, with_variables};
use crate::output::Output;
use crate::project::{ProjectError, name_from_dsn};

pub(super) async fn run(arguments: InitArguments, global: &Global, output: &Output) -> anyhow::Result<ExitCode> {
    let path = global.project.join(FILE_NAME);
    if path.exists() {
        return Err(ProjectError::Exists { path }.into());
    }
    let name = arguments.name.unwrap_or_else(|| name_from_dsn(&arguments.dsn));
    check_source_id(&name).map_err(|reason| ProjectError::SourceName { reason })?;
    let connector = connect::connect(&name, &with_variables(&arguments.dsn)?)?;
    let tables = connector.introspect().await?.len();
    if tables == 0 {
        return Err(ProjectError::EmptySource { name }.into());
    }
    let id = toml::Value::String(name.clone());
    let dsn = toml::Value::String(arguments.dsn.clone());
    let text = format!(
        "# Every key: `periplus manual configuration`\n\n[[sources]]\nid = {id}\ndsn = {dsn}\n# description = \"What this database holds\"\n"
    );
    let write_error = |source| ProjectError::Write { path: path.clone(), source };
    std::fs::create_dir_all(&global.project).map_err(write_error)?;
    std::fs::write(&path, text).map_err(write_error)?;
    output.either(
        &json!({"configuration": path, "source": name, "tables": tables}),
        format!("{} written: source `{name}` with {tables} tables.\nNext: periplus index", path.display()),
    );
    Ok(ExitCode::SUCCESS)
}
