//! ClickHouse: its words, and a server of it, spoken to over plain HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::Place;
use super::language::{DeclaredType, Keys, Language, with_backslashes};

/// ClickHouse's words.
pub const CLICKHOUSE: &dyn Language = &Clickhouse;

struct Clickhouse;

impl Language for Clickhouse {
    fn name(&self) -> &'static str {
        "ClickHouse"
    }

    fn type_name(&self, declared: DeclaredType) -> String {
        match declared {
            DeclaredType::Integer => "Int64".to_owned(),
            DeclaredType::Real => "Float64".to_owned(),
            DeclaredType::Decimal { precision, scale } => format!("Decimal({precision}, {scale})"),
            // Its `JSON` takes documents apart, and gives them back in another form.
            DeclaredType::Char(_) | DeclaredType::Varchar(_) | DeclaredType::Text | DeclaredType::Json => {
                "String".to_owned()
            }
            DeclaredType::Boolean => "Bool".to_owned(),
            // Its `Date` begins in 1970.
            DeclaredType::Date => "Date32".to_owned(),
            DeclaredType::Timestamp => "DateTime('UTC')".to_owned(),
        }
    }

    fn month_of(&self, moment: &str) -> String {
        format!("formatDateTime({moment}, '%Y-%m')")
    }

    fn keys(&self) -> Keys {
        Keys::SortingOnly
    }

    fn text_literal(&self, text: &str) -> String {
        with_backslashes(text)
    }

    fn column_type(&self, declared: DeclaredType, nullable: bool) -> String {
        let name = self.type_name(declared);
        if nullable { format!("Nullable({name})") } else { name }
    }

    fn table_options(&self, key: &[String]) -> String {
        let order = if key.is_empty() { "tuple()".to_owned() } else { format!("({})", key.join(", ")) };
        format!(" ENGINE = MergeTree ORDER BY {order}")
    }
}

/// A server on which databases may be made.
pub struct ClickhouseServer {
    url: String,
    database: Option<String>,
}

impl ClickhouseServer {
    /// The server at this address, such as `clickhouse://default:password@127.0.0.1:8123/default`.
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), database: None }
    }

    /// The address without scheme and database: `default:password@127.0.0.1:8123`.
    fn server(&self) -> &str {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        rest.split(['/', '?']).next().unwrap_or(rest)
    }

    fn entered(&self) -> Result<&str, String> {
        self.database.as_deref().ok_or_else(|| "no database has been made".to_owned())
    }

    /// Sends a statement, waits until it has come to its end, and returns what it gave.
    fn send(&self, database: &str, sql: &str) -> Result<String, String> {
        let (user, host) = self.server().rsplit_once('@').unwrap_or(("default", self.server()));
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let mut stream = TcpStream::connect(host).map_err(|error| format!("{host}: {error}"))?;
        let head = format!(
            "POST /?database={database}&wait_end_of_query=1 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             X-ClickHouse-User: {user}\r\nX-ClickHouse-Key: {password}\r\nContent-Length: {}\r\n\r\n",
            sql.len()
        );
        let mut answer = String::new();
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(sql.as_bytes()))
            .and_then(|()| stream.read_to_string(&mut answer))
            .map_err(|error| format!("{host}: {error}"))?;
        if answer.split(' ').nth(1) != Some("200") {
            return Err(answer);
        }
        body(&answer).ok_or_else(|| format!("an answer that is cut off: {answer}"))
    }
}

impl Place for ClickhouseServer {
    fn language(&self) -> &'static dyn Language {
        CLICKHOUSE
    }

    fn create(&mut self, name: &str) -> Result<String, String> {
        self.remove(name)?;
        self.send("default", &format!("CREATE DATABASE {name}")).map(drop)?;
        self.database = Some(name.to_owned());
        Ok(format!("clickhouse://{}/{name}", self.server()))
    }

    fn run(&mut self, sql: &str) -> Result<(), String> {
        self.send(self.entered()?, sql).map(drop)
    }

    /// Only for texts without tabs and line ends, which stand between the cells.
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let answer = self.send(self.entered()?, &format!("{sql} FORMAT TSVRaw"))?;
        let cell = |cell: &str| (cell != "\\N").then(|| cell.to_owned());
        Ok(answer.lines().map(|line| line.split('\t').map(cell).collect()).collect())
    }

    fn remove(&mut self, name: &str) -> Result<(), String> {
        self.database = None;
        self.send("default", &format!("DROP DATABASE IF EXISTS {name}")).map(drop)
    }
}

/// What follows the head of an answer, put together where it comes in chunks.
fn body(answer: &str) -> Option<String> {
    let (head, mut rest) = answer.split_once("\r\n\r\n")?;
    if !head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked") {
        return Some(rest.to_owned());
    }
    let mut whole = String::new();
    loop {
        let (size, chunk) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.push_str(chunk.get(..size)?);
        rest = chunk.get(size..)?.strip_prefix("\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn an_answer_is_what_follows_its_head() {
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na\tb\n";
        assert_eq!(body(plain).as_deref(), Some("a\tb\n"));
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\tb\r\nA\r\n\nccccccccc\r\n0\r\n\r\n";
        assert_eq!(body(chunked).as_deref(), Some("a\tb\nccccccccc"));
        assert_eq!(body(&chunked[..chunked.len() - 12]), None);
        assert_eq!(body("HTTP/1.1 200 OK"), None);
    }
}
