//! What a database has to be told so that masked columns are closed by the database itself: privileges on columns.
//!
//! Whoever reads a statement may misread it; an engine's privileges don't depend on that. They need somebody who may grant them,
//! which Periplus's own role may not.

use catalog::{Catalog, Dialect, Entry, Exposure};

/// The statements that give `role` every column that isn't masked, and nothing else; `None` for engines without privileges.
pub(super) fn grants(catalog: &Catalog, source: &str, role: &str) -> Option<String> {
    let dialect = catalog.dialect(source);
    let role = role_name(dialect, role)?;
    let mut lines = vec![match dialect {
        Dialect::Mysql => {
            "-- For an account that has no other privileges: those on a database or a table hold for all their columns.".to_owned()
        }
        _ => "-- For a role that owns nothing and is in no role that may read more. Tables that PUBLIC may read stay open to it."
            .to_owned(),
    }];
    lines.push("-- What is masked or indexed later isn't in here: make these statements again then.".to_owned());
    if *dialect == Dialect::Postgres {
        let mut schemas: Vec<&str> =
            catalog.tables_of(source).filter_map(|entry| entry.table.id.schema.as_deref()).collect();
        schemas.sort_unstable();
        schemas.dedup();
        lines.extend(
            schemas.iter().map(|schema| format!("GRANT USAGE ON SCHEMA {} TO {role};", dialect.quoted(schema))),
        );
    }
    for entry in catalog.tables_of(source) {
        lines.extend(of_table(entry, dialect, &role));
    }
    Some(lines.join("\n"))
}

fn of_table(entry: &Entry, dialect: &Dialect, role: &str) -> Vec<String> {
    let id = &entry.table.id;
    let schema = id.schema.as_ref().map(|schema| format!("{}.", dialect.quoted(schema))).unwrap_or_default();
    let table = format!("{schema}{}", dialect.quoted(&id.name));
    let columns = entry.table.columns.iter().zip(entry.exposures());
    let open: Vec<String> = columns
        .filter(|(_, exposure)| matches!(exposure, Exposure::Open))
        .map(|(column, _)| dialect.quoted(&column.name))
        .collect();
    // Without it MariaDB fails where there is nothing to take back.
    let revoke = (*dialect != Dialect::Mysql).then(|| format!("REVOKE SELECT ON {table} FROM {role};"));
    let grant = match open.len() {
        0 => None,
        all if all == entry.table.columns.len() => Some(format!("GRANT SELECT ON {table} TO {role};")),
        _ => Some(format!("GRANT SELECT ({}) ON {table} TO {role};", open.join(", "))),
    };
    revoke.into_iter().chain(grant).collect()
}

/// A role as the engine has it written; on MariaDB and MySQL an account, `name` or `name@host`.
fn role_name(dialect: &Dialect, role: &str) -> Option<String> {
    match dialect {
        Dialect::Postgres | Dialect::Clickhouse => Some(dialect.quoted(role)),
        Dialect::Mysql => {
            let (name, host) = role.rsplit_once('@').unwrap_or((role, "%"));
            Some(format!("{}@{}", dialect.literal(name), dialect.literal(host)))
        }
        _ => None,
    }
}
