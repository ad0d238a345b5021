//! What the role that we log in with may do beyond reading, in one statement however many tables there are; and in a
//! second one, where there is something, what a role that may only read is made from.
//!
//! A role may do what every role may do that it can become, inherited or not, and what PUBLIC may. Rights that
//! everybody has as PostgreSQL comes are left out where they can't be used in a transaction that only reads, or only on
//! things of one's own: temporary tables, large objects. Reading is no excess, however much it is.

use std::collections::BTreeMap;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::decode::Lossy;
use super::session::Session;
use crate::error::ConnectError;
use crate::privileges::{ExcessPrivilege, PASSWORD_PLACEHOLDER, READER, reader_name};
use crate::result_set::Next;

const PRIVILEGES: &str = include_str!("introspection/privileges.sql");
const READ_ONLY_ROLE: &str = include_str!("introspection/read_only_role.sql");

/// The kinds of rights, the most dangerous first.
const ORDER: [&str; 11] = [
    "superuser",
    "program_execution",
    "file_access",
    "write",
    "ownership",
    "create",
    "create_role",
    "grant",
    "administration",
    "replication",
    "bypass_row_security",
];

/// Rights of one kind.
struct Held {
    /// As the statement names it.
    kind: String,
    /// How many tables, schemas, routines … it concerns.
    things: i64,
    sequences: i64,
    /// One of them.
    example: String,
    /// What everybody has of it: words for REVOKE, and an object.
    public: Vec<(String, String)>,
    /// Who we are.
    role: String,
}

/// What a role that may read is made from; all names but the last ones are quoted.
#[derive(Default)]
struct Ground {
    database: String,
    schemas: Vec<String>,
    owners: Vec<String>,
    taken: Vec<String>,
}

/// Everything beyond reading, the most dangerous first. Of a superuser nothing else is said.
pub(super) async fn excess(session: &Session) -> Result<Vec<ExcessPrivilege>, ConnectError> {
    let held = held(session).await?;
    let mut found: Vec<(&'static str, String)> = held.iter().filter_map(in_words).collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    if found.iter().any(|(code, _)| *code == "superuser") {
        found.retain(|(code, _)| *code == "superuser");
    }
    let danger = |code: &str| ORDER.iter().position(|known| *known == code).unwrap_or(ORDER.len());
    found.sort_by_key(|(code, _)| danger(code));
    let remedy = remedy(&ground(session).await?, &held);
    Ok(found.into_iter().map(|(code, what)| ExcessPrivilege { code, what, remedy: remedy.clone() }).collect())
}

async fn held(session: &Session) -> Result<Vec<Held>, ConnectError> {
    let mut held = Vec::new();
    let take = |row: &Row| {
        let (Lossy(kind), Lossy(example), Lossy(role)) = (row.try_get(0)?, row.try_get(3)?, row.try_get(5)?);
        let public = texts(row, 4)?;
        let public = public.iter().filter_map(|right| right.split_once('\t'));
        held.push(Held {
            kind,
            things: row.try_get(1)?,
            sequences: row.try_get(2)?,
            example,
            public: public.map(|(right, object)| (right.to_owned(), object.to_owned())).collect(),
            role,
        });
        Ok(Next::Continue)
    };
    session.each_row(PRIVILEGES, &[], take).await?;
    Ok(held)
}

fn texts(row: &Row, place: usize) -> Result<Vec<String>, tokio_postgres::Error> {
    Ok(row.try_get::<_, Vec<Lossy>>(place)?.into_iter().map(|Lossy(text)| text).collect())
}

/// The right's code, and what it is; `None` for a kind that is none.
fn in_words(held: &Held) -> Option<(&'static str, String)> {
    let (code, can) = match held.kind.as_str() {
        "superuser" => ("superuser", "is a superuser".to_owned()),
        "create_role" => ("create_role", "may make and change roles".to_owned()),
        "create_database" => ("create", "may make databases".to_owned()),
        "replication" => ("replication", "may replicate the whole server".to_owned()),
        "bypass_row_security" => ("bypass_row_security", "reads rows that policies hide from it".to_owned()),
        "owner" => ("ownership", format!("owns {}, with the right to change and drop", held.tables())),
        "write" => ("write", format!("may write to {}", held.tables())),
        "alter" => ("create", format!("may put triggers or keys on {}", held.tables())),
        "grant" => ("grant", format!("may pass on its rights to {}", held.tables())),
        "create_in_schema" => ("create", format!("may make tables and functions in {}", held.count("schema"))),
        "create_in_database" => ("create", format!("may make schemas in the database `{}`", held.example)),
        "reaching_routine" => (
            "file_access",
            format!("may call {}: a way to the server's files or to other servers", held.count("function")),
        ),
        "untrusted_routine" => {
            ("program_execution", format!("may call {}, written in an untrusted language", held.count("routine")))
        }
        kind => {
            let group = kind.strip_prefix("member of ")?;
            let (code, can) = of_group(group)?;
            (code, format!("{can} (`{group}`)"))
        }
    };
    // What a role is by itself, others have only while they are that role.
    let attribute = matches!(
        held.kind.as_str(),
        "superuser" | "create_role" | "create_database" | "replication" | "bypass_row_security"
    );
    let via = match attribute && held.example != held.role {
        true => format!(" as `{}`, which it can become", held.example),
        false => String::new(),
    };
    Some((code, format!("the role `{}` {can}{via}", held.role)))
}

/// What members of a role that comes with the server, or with a provider's servers, may do. Roles that only show more
/// (`pg_monitor`, `pg_read_all_data`) are none of these. `pg_signal_backend` is: nothing is ever stopped with it here,
/// since our own statements are cancelled by the key of their connection.
fn of_group(group: &str) -> Option<(&'static str, &'static str)> {
    Some(match group {
        "rds_superuser" | "cloudsqlsuperuser" | "azure_pg_admin" => {
            ("superuser", "is one of the server's administrators")
        }
        "pg_execute_server_program" => ("program_execution", "may run programs on the server"),
        "pg_read_server_files" => ("file_access", "may read the server's files"),
        "pg_write_server_files" => ("file_access", "may write the server's files"),
        "pg_write_all_data" => ("write", "may write to every table"),
        "pg_maintain" => ("administration", "may lock and rebuild every table"),
        "pg_signal_backend" => ("administration", "may stop other roles' statements and connections"),
        "pg_checkpoint" => ("administration", "may force checkpoints"),
        "pg_create_subscription" => ("administration", "may have other servers' data replicated into this one"),
        _ => return None,
    })
}

impl Held {
    /// How many tables and sequences, with one of them.
    fn tables(&self) -> String {
        match (self.things, self.sequences) {
            (_, 0) => self.count("table"),
            (0, _) => counted(self.sequences, "sequence", &self.example),
            (1, 1) => format!("`{}` and a sequence", self.example),
            (1, sequences) => format!("`{}` and {sequences} sequences", self.example),
            (tables, 1) => format!("{tables} tables and a sequence, `{}` among them", self.example),
            (tables, sequences) => format!("{tables} tables and {sequences} sequences, `{}` among them", self.example),
        }
    }

    fn count(&self, noun: &str) -> String {
        counted(self.things, noun, &self.example)
    }
}

fn counted(count: i64, noun: &str, example: &str) -> String {
    match count {
        1 => format!("the {noun} `{example}`"),
        _ => format!("{count} {noun}s, `{example}` among them"),
    }
}

async fn ground(session: &Session) -> Result<Ground, ConnectError> {
    let read = |row: &Row| {
        let Lossy(database) = row.try_get(0)?;
        Ok(Ground { database, schemas: texts(row, 1)?, owners: texts(row, 2)?, taken: texts(row, 3)? })
    };
    let ground = session.first_row(READ_ONLY_ROLE, &[(&READER, Type::TEXT)], read).await?;
    Ok(ground.unwrap_or_default())
}

/// The statements that make a role which may read all tables of this database, those to come included, and for which
/// nothing is found here. They are for whoever may grant on these tables.
fn remedy(ground: &Ground, held: &[Held]) -> String {
    let role = reader_name(|name| ground.taken.iter().any(|taken| taken == name));
    let mut lines = vec![
        format!("CREATE ROLE {role} LOGIN PASSWORD {PASSWORD_PLACEHOLDER};"),
        format!("ALTER ROLE {role} SET default_transaction_read_only = on;"),
        format!("GRANT CONNECT ON DATABASE {} TO {role};", ground.database),
    ];
    if !ground.schemas.is_empty() {
        let (schemas, owners) = (ground.schemas.join(", "), ground.owners.join(", "));
        lines.push(format!("GRANT USAGE ON SCHEMA {schemas} TO {role};"));
        lines.push(format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schemas} TO {role};"));
        lines.push(format!(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {owners} IN SCHEMA {schemas} GRANT SELECT ON TABLES TO {role};"
        ));
    }
    let mut public: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (right, object) in held.iter().flat_map(|held| &held.public) {
        public.entry(right).or_default().push(object);
    }
    if !public.is_empty() {
        lines.push("-- Everybody has these rights, the new role too; see first who relies on them.".to_owned());
    }
    for (right, mut objects) in public {
        objects.sort_unstable();
        objects.dedup();
        lines.push(format!("REVOKE {right} {} FROM PUBLIC;", objects.join(", ")));
    }
    lines.join("\n")
}
