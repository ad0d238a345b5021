//! MySQL and MariaDB: their words, and a server of them.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, Row, Value};
use tokio::runtime::Runtime;

use super::language::{DeclaredType, Language, with_backslashes};
use super::{Place, runtime};

/// The words of MySQL and MariaDB.
pub const MYSQL: &dyn Language = &Mysql;

struct Mysql;

impl Language for Mysql {
    fn name(&self) -> &'static str {
        "MariaDB"
    }

    fn type_name(&self, declared: DeclaredType) -> String {
        match declared {
            DeclaredType::Integer => "bigint".to_owned(),
            DeclaredType::Real => "double".to_owned(),
            DeclaredType::Decimal { precision, scale } => format!("decimal({precision}, {scale})"),
            DeclaredType::Char(length) => format!("char({length})"),
            DeclaredType::Varchar(length) => format!("varchar({length})"),
            DeclaredType::Text => "text".to_owned(),
            DeclaredType::Boolean => "boolean".to_owned(),
            DeclaredType::Date => "date".to_owned(),
            // Its `timestamp` is in a zone and ends in 2038.
            DeclaredType::Timestamp => "datetime".to_owned(),
            DeclaredType::Json => "json".to_owned(),
        }
    }

    fn month_of(&self, moment: &str) -> String {
        format!("date_format({moment}, '%Y-%m')")
    }

    fn quote(&self) -> char {
        '`'
    }

    fn text_literal(&self, text: &str) -> String {
        with_backslashes(text)
    }

    fn opening(&self) -> &'static [&'static str] {
        // With checks, adding a key copies the whole table.
        &["SET foreign_key_checks = 0"]
    }

    fn analyze(&self, quoted_table: &str) -> Option<String> {
        Some(format!("ANALYZE TABLE {quoted_table}"))
    }
}

/// A server on which databases may be made.
pub struct MysqlServer {
    runtime: Runtime,
    url: String,
    connection: Option<Conn>,
    /// The address of the database that was made.
    database: Option<String>,
}

impl MysqlServer {
    /// The server at this address, such as `mysql://root@127.0.0.1:3306`.
    pub fn at(url: &str) -> Self {
        Self { runtime: runtime(), url: url.to_owned(), connection: None, database: None }
    }

    /// The address without database and parameters, and the parameters.
    fn parts(&self) -> (String, String) {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("mysql", &self.url));
        let (rest, parameters) = match rest.split_once('?') {
            Some((rest, parameters)) => (rest, format!("?{parameters}")),
            None => (rest, String::new()),
        };
        let host = rest.split('/').next().unwrap_or(rest);
        (format!("{scheme}://{host}"), parameters)
    }
}

impl Place for MysqlServer {
    fn language(&self) -> &'static dyn Language {
        MYSQL
    }

    fn create(&mut self, name: &str) -> Result<String, String> {
        let (server, parameters) = self.parts();
        let options = Opts::from_url(&server).map_err(|error| error.to_string())?;
        let connection = self.runtime.block_on(Conn::new(options)).map_err(|error| error.to_string())?;
        self.connection = Some(connection);
        self.remove(name)?;
        // Collations are the server's own: that they don't tell upper from lower case is what people have.
        self.run(&format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"))?;
        self.run(&format!("USE {name}"))?;
        self.database = Some(format!("{server}/{name}"));
        Ok(format!("{server}/{name}{parameters}"))
    }

    fn run(&mut self, sql: &str) -> Result<(), String> {
        let connection = self.connection.as_mut().ok_or("no database has been made")?;
        self.runtime.block_on(connection.query_drop(sql)).map_err(|error| error.to_string())
    }

    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let address = self.database.as_ref().ok_or("no database has been made")?;
        let options = Opts::from_url(address).map_err(|error| error.to_string())?;
        let asking = async {
            let mut connection = Conn::new(options).await?;
            let rows: Vec<Row> = connection.query(sql).await?;
            connection.disconnect().await?;
            Ok::<_, mysql_async::Error>(rows)
        };
        let rows = self.runtime.block_on(asking).map_err(|error| error.to_string())?;
        Ok(rows.into_iter().map(|row| row.unwrap().into_iter().map(text).collect()).collect())
    }

    fn remove(&mut self, name: &str) -> Result<(), String> {
        self.run(&format!("DROP DATABASE IF EXISTS {name}"))
    }
}

/// A cell of the text protocol, in which everything but NULL is bytes.
fn text(value: Value) -> Option<String> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        other => Some(other.as_sql(false)),
    }
}
