//! PostgreSQL: its words, and a server of it.

use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::language::{DeclaredType, Language};
use super::{Place, runtime};

/// PostgreSQL's words.
pub const POSTGRES: &dyn Language = &Postgres;

struct Postgres;

impl Language for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn type_name(&self, declared: DeclaredType) -> String {
        match declared {
            DeclaredType::Integer => "bigint".to_owned(),
            DeclaredType::Real => "double precision".to_owned(),
            DeclaredType::Decimal { precision, scale } => format!("numeric({precision}, {scale})"),
            DeclaredType::Char(length) => format!("char({length})"),
            DeclaredType::Varchar(length) => format!("varchar({length})"),
            DeclaredType::Text => "text".to_owned(),
            DeclaredType::Boolean => "boolean".to_owned(),
            DeclaredType::Date => "date".to_owned(),
            DeclaredType::Timestamp => "timestamp".to_owned(),
            // Not `jsonb`, which writes documents anew.
            DeclaredType::Json => "json".to_owned(),
        }
    }

    fn month_of(&self, moment: &str) -> String {
        format!("to_char({moment}, 'YYYY-MM')")
    }

    fn opening(&self) -> &'static [&'static str] {
        &["SET synchronous_commit = off"]
    }

    fn analyze(&self, quoted_table: &str) -> Option<String> {
        Some(format!("ANALYZE {quoted_table}"))
    }
}

/// A server on which databases may be made.
pub struct PostgresServer {
    runtime: Runtime,
    url: String,
    admin: Option<Client>,
    client: Option<Client>,
    /// The address of the database that was made.
    database: Option<String>,
}

impl PostgresServer {
    /// The server at this address, such as `postgres://postgres@127.0.0.1:5432/postgres`.
    pub fn at(url: &str) -> Self {
        Self { runtime: runtime(), url: url.to_owned(), admin: None, client: None, database: None }
    }

    /// The address with another database in it.
    fn address_of(&self, name: &str) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("postgres", &self.url));
        let (rest, parameters) = match rest.split_once('?') {
            Some((rest, parameters)) => (rest, format!("?{parameters}")),
            None => (rest, String::new()),
        };
        let host = rest.split('/').next().unwrap_or(rest);
        format!("{scheme}://{host}/{name}{parameters}")
    }

    fn connect(&self, url: &str) -> Result<Client, String> {
        self.runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(|error| said(&error))?;
            tokio::spawn(connection);
            Ok(client)
        })
    }

    fn administer(&mut self, sql: &str) -> Result<(), String> {
        let admin = match self.admin.take() {
            Some(admin) => admin,
            None => self.connect(&self.url)?,
        };
        let done = self.runtime.block_on(admin.batch_execute(sql)).map_err(|error| said(&error));
        self.admin = Some(admin);
        done
    }
}

impl Place for PostgresServer {
    fn language(&self) -> &'static dyn Language {
        POSTGRES
    }

    fn create(&mut self, name: &str) -> Result<String, String> {
        self.remove(name)?;
        self.administer(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"))?;
        let address = self.address_of(name);
        self.client = Some(self.connect(&address)?);
        self.database = Some(address.clone());
        Ok(address)
    }

    fn run(&mut self, sql: &str) -> Result<(), String> {
        let client = self.client.as_ref().ok_or("no database has been made")?;
        self.runtime.block_on(client.batch_execute(sql)).map_err(|error| said(&error))
    }

    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let address = self.database.as_ref().ok_or("no database has been made")?;
        let client = self.connect(address)?;
        let messages = self.runtime.block_on(client.simple_query(sql)).map_err(|error| said(&error))?;
        let cells = |message: SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|place| row.get(place).map(str::to_owned)).collect())
            }
            _ => None,
        };
        Ok(messages.into_iter().filter_map(cells).collect())
    }

    fn remove(&mut self, name: &str) -> Result<(), String> {
        (self.client, self.database) = (None, None);
        // A statement that looks at nothing while it runs holds its database until it ends; the server waits five seconds
        // for it.
        let is_held = |error: &String| error.contains("is being accessed by other users");
        let mut dropped = Ok(());
        for _ in 0..12 {
            dropped = self.administer(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
            if !dropped.as_ref().is_err_and(is_held) {
                break;
            }
        }
        dropped
    }
}

/// What the server says, which the error itself keeps to its cause.
fn said(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string)
}
