//! `periplus init DSN`: a configuration for one database, after looking whether the database is there.

use std::process::ExitCode;

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
    let text = format!(
        "# Every key: `periplus manual configuration`\n\n[[sources]]\nid = {id}\ndsn = {dsn}\n# description = \"What this database holds\"\n"
    );
    let write_error = |source| ProjectError::Write { path: path.clone(), source };
    std::fs::create_dir_all(&global.project).map_err(write_error)?;
    std::fs::write(&path, text).map_err(write_error)?;
    output.json(&json!({"configuration": path, "source": name, "tables": tables, "set": variable}));
    output.line(format!("{} written: source `{name}` with {}.", path.display(), counted(tables, "table")));
    if let Some(variable) = variable {
        output.line(format!(
            "It holds no secret. Set {variable} in the environment to what stood in its place in the address."
        ));
    }
    output.line("Next: periplus index");
    Ok(ExitCode::SUCCESS)
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
