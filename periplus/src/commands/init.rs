//! `periplus init DSN`: a configuration for one database, after looking whether the database is there.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::args::{Global, InitArguments};
use crate::config::{FILE_NAME, check_source_id, with_variables};
use crate::output::{Output, counted};
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
    let (dsn, variable) = without_secret(&name, arguments.dsn);
    let dsn = toml::Value::String(dsn);
    let projects = dbt_projects(&global.project);
    let dbt = dbt_line(&projects);
    let text = format!(
        "# Every key: `periplus manual configuration`\n\n[[sources]]\nid = {id}\ndsn = {dsn}\n{dbt}# description = \"What this database holds\"\n"
    );
    let write_error = |source| ProjectError::Write { path: path.clone(), source };
    std::fs::create_dir_all(&global.project).map_err(write_error)?;
    std::fs::write(&path, text).map_err(write_error)?;
    output.json(&json!({"configuration": path, "source": name, "tables": tables, "set": variable, "dbt": projects}));
    output.line(format!("{} written: source `{name}` with {}.", path.display(), counted(tables, "table")));
    if let Some(variable) = variable {
        output.line(format!(
            "It holds no secret. Set {variable} in the environment to what stood in its place in the address."
        ));
    }
    for project in &projects {
        let folder = &project.folder;
        output.line(match project.has_manifest {
            true => {
                format!("The dbt project in {folder} is read as well: take `dbt` out if it doesn't fill this database.")
            }
            false => format!(
                "The dbt project in {folder} has no manifest yet: run `dbt docs generate`, then name it under `dbt`."
            ),
        });
    }
    output.line("Next: periplus index");
    Ok(ExitCode::SUCCESS)
}

/// A dbt project beside the configuration.
#[derive(Serialize)]
struct FoundProject {
    folder: String,
    has_manifest: bool,
}

/// The dbt projects in a folder, and in those within it.
fn dbt_projects(folder: &Path) -> Vec<FoundProject> {
    let inner =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = inner.filter(|name| folder.join(name).is_dir()).collect();
    names.sort();
    names.insert(0, ".".to_owned());
    let projects = names.into_iter().filter(|name| folder.join(name).join("dbt_project.yml").is_file());
    projects
        .map(|name| {
            let has_manifest = folder.join(&name).join("target/manifest.json").is_file();
            FoundProject { folder: name, has_manifest }
        })
        .collect()
}

/// The line of the configuration that names them; one without a manifest can't be read, so that it is a remark.
fn dbt_line(projects: &[FoundProject]) -> String {
    let list = |has_manifest: bool| {
        let folders = projects.iter().filter(|project| project.has_manifest == has_manifest);
        let folders: Vec<toml::Value> = folders.map(|project| toml::Value::String(project.folder.clone())).collect();
        (!folders.is_empty()).then(|| format!("dbt = {}\n", toml::Value::Array(folders)))
    };
    list(true).or_else(|| list(false).map(|line| format!("# {line}"))).unwrap_or_default()
}

/// The address with a variable of the environment in place of a secret, and that variable: a configuration is copied, shown
/// and committed.
fn without_secret(name: &str, dsn: String) -> (String, Option<String>) {
    let Some(secret) = connect::secret_in(&dsn) else { return (dsn, None) };
    let plain = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let of = if secret == (0..dsn.len()) { "DSN" } else { "PASSWORD" };
    let digit = if name.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
    let variable = format!("{digit}{name}_{of}");
    let dsn = format!("{}${{{variable}}}{}", &dsn[..secret.start], &dsn[secret.end..]);
    (dsn, Some(variable))
}

#[cfg(test)]
mod tests {
    use super::without_secret;

    #[test]
    fn a_variable_stands_where_a_password_stood() {
        for (name, dsn, expected) in [
            (
                "my-shop",
                "mysql://ann:s3cret@h/shop",
                ("mysql://ann:${MY_SHOP_PASSWORD}@h/shop", Some("MY_SHOP_PASSWORD")),
            ),
            ("1st", "postgres://ann:p@h/db", ("postgres://ann:${_1ST_PASSWORD}@h/db", Some("_1ST_PASSWORD"))),
            ("shop", "postgres://ann@h/db", ("postgres://ann@h/db", None)),
            ("shop", "sqlite:shop.db", ("sqlite:shop.db", None)),
        ] {
            let (written, variable) = without_secret(name, dsn.to_owned());
            assert_eq!((written.as_str(), variable.as_deref()), expected, "{dsn}");
        }
    }
}
