//! What a database has to be told so that masked columns are closed by the database itself: privileges on columns.
//!
//! Whoever reads a statement may misread it; an engine's privileges don't depend on that. They need somebody who may grant them,
//! which Periplus's own role may not.

use catalog::{Catalog, Dialect, Entry, Exposure};
use dialect::Privileges;

/// The statements that give `role` every column that isn't masked, and nothing else; `None` for engines without privileges.
/// `database` is the one that the source is.
pub(super) fn grants(catalog: &Catalog, source: &str, database: &str, role: &str) -> Option<String> {
    let dialect = catalog.dialect(source);
    let role = role_name(dialect, role)?;
    let database = dialect.quoted(database);
    let mut schemas: Vec<&str> =
        catalog.tables_of(source).filter_map(|entry| entry.table.id.schema.as_deref()).collect();
    schemas.sort_unstable();
    schemas.dedup();
    let mut lines = Vec::new();
    match dialect.names().privileges {
        Privileges::Accounts => {
            lines.push(
                "-- Takes everything else from the account, and gives it what it needs to read views.".to_owned(),
            );
            lines.push(format!("REVOKE ALL PRIVILEGES, GRANT OPTION FROM {role};"));
            lines.push(format!("GRANT SHOW VIEW ON {database}.* TO {role};"));
        }
        Privileges::Database => lines.push(format!("REVOKE SELECT ON {database}.* FROM {role};")),
        Privileges::Schemas | Privileges::None => {
            lines.push(
                "-- For a role that owns nothing and is in no role that may read more; PUBLIC may read nothing here."
                    .to_owned(),
            );
            lines.push("-- Where default privileges give it tables that come: ALTER DEFAULT PRIVILEGES FOR ROLE … REVOKE SELECT ON TABLES.".to_owned());
            for schema in schemas.iter().map(|schema| dialect.quoted(schema)) {
                lines.push(format!("GRANT USAGE ON SCHEMA {schema} TO {role};"));
                // Parts of tables, too, which are reached through their table alone.
                lines.push(format!("REVOKE SELECT ON ALL TABLES IN SCHEMA {schema} FROM {role};"));
            }
        }
    }
    lines.extend(catalog.tables_of(source).filter_map(|entry| of_table(entry, dialect, &database, &role)));
    Some(lines.join("\n"))
}

/// Column by column, also where all are open: one that comes later is nobody's to read until it has been looked at.
fn of_table(entry: &Entry, dialect: &Dialect, database: &str, role: &str) -> Option<String> {
    let id = &entry.table.id;
    let schema = id.schema.as_ref().map_or_else(|| database.to_owned(), |schema| dialect.quoted(schema));
    let columns = entry.table.columns.iter().zip(entry.exposures());
    let open: Vec<String> = columns
        .filter(|(_, exposure)| matches!(exposure, Exposure::Open))
        .map(|(column, _)| dialect.quoted(&column.name))
        .collect();
    let table = format!("{schema}.{}", dialect.quoted(&id.name));
    (!open.is_empty()).then(|| format!("GRANT SELECT ({}) ON {table} TO {role};", open.join(", ")))
}

/// A role as the engine has it written; on MariaDB and MySQL an account, `name` or `name@host`.
fn role_name(dialect: &Dialect, role: &str) -> Option<String> {
    match dialect.names().privileges {
        Privileges::Schemas | Privileges::Database => Some(dialect.quoted(role)),
        Privileges::Accounts => {
            let (name, host) = role.rsplit_once('@').unwrap_or((role, "%"));
            Some(format!("{}@{}", dialect.literal(name), dialect.literal(host)))
        }
        Privileges::None => None,
    }
}
