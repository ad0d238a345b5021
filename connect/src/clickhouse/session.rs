//! Statements sent over HTTP, and rows read as they arrive.
//!
//! Each statement is a request of its own; nothing is left on the server between two of them. The first thing a server is
//! asked is what its user may set (see `settings`). A statement that is dropped before its end, or whose time is up, loses
//! its connection, upon which the server stops it, and is killed by its id besides, for servers whose user may not set
//! that. Invariant: user and password go in headers to the host of the address alone; redirects are not followed.

use catalog::Dialect;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Certificate, Client, RequestBuilder, Response};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};

use super::address::Address;
use super::decode::ColumnType;
use super::failure::{Failure, Trouble};
use super::settings::{self, Known, Profile, Purpose};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Next;
use crate::server_pool::{CANCEL_TIME, LOG_IN_TIME, LONGEST, Permit, ServerPool};
use crate::{stopping, trust};

const SESSION: &str = include_str!("introspection/session.sql");

/// Names, types, and then rows, each an array of texts on a line of its own. Texts, because numbers of JSON lose digits,
/// `nan` and `inf`, and other forms depend on settings that not everybody may change.
const FORMAT: &str = "JSONCompactStringsEachRowWithNamesAndTypes";
/// The longest row that is read, in bytes.
const LONGEST_ROW: usize = 64 << 20;
/// How much of the server's words about a failure is read, in bytes.
const LONGEST_WORDS: usize = 64 << 10;
/// The first version whose analyzer explains a statement without settings: 24.3.
const QUERY_TREE: (u32, u32) = (24, 3);

/// One server and database.
pub(super) struct Server {
    address: Address,
    client: Client,
    profile: OnceCell<Profile>,
    /// The connections themselves are kept by the HTTP client.
    connections: ServerPool<()>,
    /// Ids of statements: a random beginning, and a number.
    id: u64,
    statements: AtomicU64,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("location", &self.address.location).finish_non_exhaustive()
    }
}

impl Server {
    pub(super) fn new(address: Address) -> Result<Arc<Self>, ConnectError> {
        let encryption = |reason| ConnectError::Encryption {
            dialect: Dialect::Clickhouse,
            location: address.location.clone(),
            reason,
        };
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // A database is reached as its address says, and by no way round.
            .no_proxy()
            .connect_timeout(LOG_IN_TIME)
            .user_agent(concat!("periplus/", env!("CARGO_PKG_VERSION")));
        if address.is_encrypted() {
            let (roots, _) = trust::roots(address.root_certificate.as_deref(), "ca").map_err(encryption)?;
            let roots: Result<Vec<Certificate>, _> = roots.iter().map(|root| Certificate::from_der(root)).collect();
            builder = builder.https_only(true).tls_certs_only(roots.map_err(|error| encryption(error.to_string()))?);
        }
        let client = builder.build().map_err(|error| encryption(error.to_string()))?;
        Ok(Arc::new(Self {
            address,
            client,
            profile: OnceCell::new(),
            connections: ServerPool::new(),
            id: RandomState::new().hash_one(std::process::id()),
            statements: AtomicU64::new(0),
        }))
    }

    pub(super) fn work(&self) -> Work {
        self.connections.work()
    }

    pub(super) fn database(&self) -> &str {
        &self.address.database
    }

    pub(super) fn in_use(&self) -> u64 {
        self.connections.in_use()
    }

    /// The right to send statements that together may take `time_limit`.
    pub(super) async fn session(self: &Arc<Self>, time_limit: Duration) -> Result<Session, ConnectError> {
        let time_limit = time_limit.min(LONGEST);
        let permit = self.connections.permit(&self.address.location, time_limit).await?;
        let profile = self.profile.get_or_try_init(|| self.ask_profile()).await?.clone();
        let deadline = Instant::now() + time_limit;
        Ok(Session { server: Arc::clone(self), profile, time_limit, deadline, permit: Arc::new(permit) })
    }

    /// Learns what the user may set, and makes sure that statements which are framed by it can only read.
    async fn ask_profile(&self) -> Result<Profile, ConnectError> {
        let asking = async {
            let profile = self.read_profile().await?;
            let held = profile.can_read_only() && self.holds_to_reading(&profile).await?;
            Ok((profile, held))
        };
        let failure = Failure { address: &self.address, timeout: LOG_IN_TIME };
        match timeout(LOG_IN_TIME, asking).await.unwrap_or(Err(Trouble::NoAnswer)) {
            Ok((profile, true)) => Ok(profile),
            Ok((_, false)) => {
                let reason = "`readonly` can't be set for this user, so nothing would keep statements from writing";
                Err(ConnectError::Denied { reason: reason.to_owned() })
            }
            Err(Trouble::NoAnswer) => Err(failure.no_answer()),
            Err(trouble) => Err(failure.explain(trouble)),
        }
    }

    /// Asks what the user may set. Not by GET, which is read-only by itself and would be answered as such.
    async fn read_profile(&self) -> Result<Profile, Trouble> {
        let sql = SESSION.replace("{names}", &settings::names());
        let mut known = HashMap::new();
        let mut version = String::new();
        let take = |types: &[ColumnType], cells: Vec<String>| {
            let mut cells = cells.into_iter().zip(types).map(|(cell, kind)| kind.text(cell));
            let mut next = || cells.next().flatten();
            let (name, value, readonly) = (next().unwrap_or_default(), next().unwrap_or_default(), next());
            let mut bound = || next().and_then(|bound| bound.parse().ok());
            let (least, most) = (bound(), bound());
            if name.is_empty() {
                version = value;
            } else {
                known.insert(name, Known { value, changeable: readonly.as_deref() == Some("0"), least, most });
            }
            Next::Continue
        };
        self.read(self.request(&[("wait_end_of_query", "1".to_owned())]).body(sql), take).await?;
        Ok(Profile::new(&version, known))
    }

    /// Whether the server, and whatever stands before it, took the settings that it said it would take.
    async fn holds_to_reading(&self, profile: &Profile) -> Result<bool, Trouble> {
        let request = self.request(&profile.frame(&Purpose::OWN, LOG_IN_TIME)).body("SELECT getSetting('readonly')");
        let mut held = false;
        let take = |_: &[ColumnType], cells: Vec<String>| {
            held = matches!(cells.first().map(String::as_str), Some("1" | "2"));
            Next::Continue
        };
        self.read(request, take).await?;
        Ok(held)
    }

    /// A request that logs in, and says what everything else rests on.
    fn request(&self, parameters: &[(&str, String)]) -> RequestBuilder {
        let mut url = self.address.url.clone();
        let own = [("database", self.address.database.as_str()), ("default_format", FORMAT)];
        url.query_pairs_mut().extend_pairs(own).extend_pairs(parameters);
        let request = self.client.post(url).header("X-ClickHouse-User", self.address.user.clone());
        match &self.address.password {
            Some(password) => request.header("X-ClickHouse-Key", password.clone()),
            None => request,
        }
    }

    /// Sends a request and hands every row to `take`; gives the names of the columns.
    async fn read(
        &self,
        request: RequestBuilder,
        mut take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
    ) -> Result<Vec<String>, Trouble> {
        let mut response = request.send().await?;
        if !response.status().is_success() || response.headers().contains_key("X-ClickHouse-Exception-Code") {
            return Err(refusal(response).await);
        }
        self.connections.count_scanned(rows_read(&response));
        let (mut names, mut types): (Option<Vec<String>>, Option<Vec<ColumnType>>) = (None, None);
        let mut rest: Vec<u8> = Vec::new();
        loop {
            let part = match response.chunk().await {
                Ok(Some(part)) => part,
                Ok(None) if rest.is_empty() => return Ok(names.unwrap_or_default()),
                Ok(None) => return Err(Trouble::broken_off(&rest)),
                Err(error) => return Err(Trouble::exception_in(&rest).unwrap_or_else(|| error.into())),
            };
            // No line ended before; a long one is not looked through again with each part.
            let (mut begin, mut searched) = (0, rest.len());
            rest.extend_from_slice(&part);
            while let Some(length) = rest[searched..].iter().position(|byte| *byte == b'\n') {
                let end = searched + length;
                let line = String::from_utf8_lossy(&rest[begin..end]);
                let width = names.as_ref().map(Vec::len);
                let cells = serde_json::from_str::<Vec<String>>(&line).ok();
                let Some(cells) = cells.filter(|cells| width.is_none_or(|width| width == cells.len())) else {
                    // What is no row is the exception that ended the rows.
                    rest.drain(..begin);
                    let other_format = width.is_none() && response.headers().contains_key("X-ClickHouse-Format");
                    let unreadable = if other_format { Trouble::OtherFormat } else { Trouble::Unreadable };
                    return Err(read_to_end(response, rest).await.unwrap_or(unreadable));
                };
                (begin, searched) = (end + 1, end + 1);
                match (&names, &types) {
                    (None, _) => names = Some(cells),
                    (_, None) => types = Some(cells.iter().map(|words| ColumnType::of(words)).collect()),
                    (Some(_), Some(types)) => {
                        if take(types, cells) == Next::Stop {
                            return Ok(names.unwrap_or_default());
                        }
                    }
                }
            }
            rest.drain(..begin);
            if rest.len() > LONGEST_ROW {
                return Err(Trouble::TooLarge { limit: LONGEST_ROW as u64 });
            }
        }
    }
}

/// What the server says about a statement that it didn't run.
async fn refusal(mut response: Response) -> Trouble {
    let status = response.status();
    let code = response.headers().get("X-ClickHouse-Exception-Code").and_then(|code| code.to_str().ok()?.parse().ok());
    let mut words = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        words.extend_from_slice(&part);
        if words.len() > LONGEST_WORDS {
            break;
        }
    }
    Trouble::refused(status, code, &words)
}

/// The exception in what comes behind the last row, where that is no row.
async fn read_to_end(mut response: Response, mut rest: Vec<u8>) -> Option<Trouble> {
    while rest.len() < LONGEST_WORDS {
        // The server breaks the connection off behind an exception.
        match response.chunk().await {
            Ok(Some(part)) => rest.extend_from_slice(&part),
            Ok(None) | Err(_) => break,
        }
    }
    Trouble::exception_in(&rest)
}

/// Rows the server has read by the time it answers: all of them where it was told to wait for the end.
fn rows_read(response: &Response) -> u64 {
    let summary = response.headers().get("X-ClickHouse-Summary").and_then(|summary| summary.to_str().ok());
    let summary: Option<serde_json::Value> = summary.and_then(|summary| serde_json::from_str(summary).ok());
    summary.and_then(|summary| summary.get("read_rows")?.as_str()?.parse().ok()).unwrap_or(0)
}

/// The right to send statements, until a deadline.
pub(super) struct Session {
    server: Arc<Server>,
    profile: Profile,
    time_limit: Duration,
    deadline: Instant,
    /// Shared with a statement that is still to be killed.
    permit: Arc<Permit>,
}

impl Session {
    pub(super) fn database(&self) -> &str {
        &self.server.address.database
    }

    pub(super) fn user(&self) -> String {
        String::from_utf8_lossy(self.server.address.user.as_bytes()).into_owned()
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Runs a statement and hands every row to `take`, as the texts of its cells; gives the names of the columns, none
    /// where the statement gives no rows.
    pub(super) async fn each_row(
        &self,
        sql: &str,
        purpose: Purpose,
        take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
    ) -> Result<Vec<String>, ConnectError> {
        let result = self.try_each_row(sql, purpose, &[], take).await;
        result.map_err(|trouble| self.explain(trouble))
    }

    /// The rows of a statement of our own, with `parameters` in place of its `{name:Type}`; NULL is `None`.
    pub(super) async fn texts(
        &self,
        sql: &str,
        purpose: Purpose,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Vec<Option<String>>>, ConnectError> {
        let result = self.try_texts(sql, purpose, parameters).await;
        result.map_err(|trouble| self.explain(trouble))
    }

    /// As [`Session::texts`], with the error as it came.
    pub(super) async fn try_texts(
        &self,
        sql: &str,
        purpose: Purpose,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Vec<Option<String>>>, Trouble> {
        let mut rows = Vec::new();
        let take = |types: &[ColumnType], cells: Vec<String>| {
            rows.push(cells.into_iter().zip(types).map(|(cell, kind)| kind.text(cell)).collect());
            Next::Continue
        };
        self.try_each_row(sql, purpose, parameters, take).await?;
        Ok(rows)
    }

    pub(super) async fn try_each_row(
        &self,
        sql: &str,
        purpose: Purpose,
        parameters: &[(&str, &str)],
        mut take: impl FnMut(&[ColumnType], Vec<String>) -> Next + Send,
    ) -> Result<Vec<String>, Trouble> {
        if is_empty(sql) {
            return Err(Trouble::NoStatement);
        }
        self.server.connections.count_statement();
        let time = self.deadline.saturating_duration_since(Instant::now());
        let running = Running::new(self);
        let mut address = vec![("query_id", running.id.clone())];
        address.extend(self.profile.frame(&purpose, time));
        // The end of a statement of our own is near, and then everything is known: whether it failed, what it read.
        let waits = !matches!(purpose, Purpose::Query { .. });
        address.push(("wait_end_of_query", u8::from(waits).to_string()));
        let names: Vec<String> = parameters.iter().map(|(name, _)| format!("param_{name}")).collect();
        // Their values are read as cells of a text separated by tabs.
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n");
        let parameters = names.iter().zip(parameters).map(|(name, (_, value))| (name.as_str(), escaped(value)));
        address.extend(parameters);
        let request = self.server.request(&address).body(sql.to_owned());
        let mut stopped = false;
        let take = |types: &[ColumnType], cells: Vec<String>| {
            self.server.connections.count_row();
            let next = take(types, cells);
            stopped = next == Next::Stop;
            next
        };
        let read = timeout_at(self.deadline, self.server.read(request, take)).await.unwrap_or(Err(Trouble::NoAnswer));
        if !stopped && !matches!(read, Err(Trouble::NoAnswer | Trouble::Transport(_) | Trouble::TooLarge { .. })) {
            running.ended();
        }
        read
    }

    /// Has the server read and understand a statement that somebody wrote.
    pub(super) async fn prepare(&self, sql: &str) -> Result<(), ConnectError> {
        if is_empty(sql) {
            return Err(self.explain(Trouble::NoStatement));
        }
        // The text's tree is made of the text alone, and shows what kind of statement it is.
        let tree = self.texts(&format!("EXPLAIN AST {sql}"), Purpose::Explain, &[]).await?;
        let root = tree.into_iter().flatten().flatten().next().unwrap_or_default();
        let root = root.split_whitespace().next().unwrap_or_default();
        if root.starts_with("Show") || root.starts_with("Describe") || root.starts_with("Exists") || root == "Explain" {
            return Ok(());
        }
        if !root.starts_with("Select") {
            return Err(ConnectError::Denied { reason: format!("a statement of the kind `{root}` is no query") });
        }
        let explain = if self.profile.version >= QUERY_TREE { "EXPLAIN QUERY TREE" } else { "EXPLAIN" };
        self.texts(&format!("{explain} {sql}"), Purpose::Explain, &[]).await.map(drop)
    }

    /// The lines of the tree that the server makes of a query when it has resolved its names and before it makes anything
    /// simpler; `None` where the server is older than that.
    pub(super) async fn resolved(&self, sql: &str) -> Result<Option<Vec<String>>, ConnectError> {
        if self.profile.version < QUERY_TREE {
            return Ok(None);
        }
        let lines = self.texts(&format!("EXPLAIN QUERY TREE passes = 1 {sql}"), Purpose::Explain, &[]).await?;
        Ok(Some(lines.into_iter().flatten().flatten().collect()))
    }

    pub(super) fn explain(&self, trouble: Trouble) -> ConnectError {
        Failure { address: &self.server.address, timeout: self.time_limit }.explain(trouble)
    }
}

/// Whether there is nothing to run.
fn is_empty(sql: &str) -> bool {
    sql.chars().all(|character| character.is_whitespace() || character == ';')
}

/// A statement that the server may be at work on.
struct Running {
    server: Arc<Server>,
    profile: Profile,
    id: String,
    /// Held until the statement has ended, so that no more than a few are ever at work.
    permit: Option<Arc<Permit>>,
}

impl Running {
    fn new(session: &Session) -> Self {
        let server = Arc::clone(&session.server);
        let number = server.statements.fetch_add(1, Ordering::Relaxed);
        let id = format!("periplus-{:016x}-{number}", server.id);
        Self { server, profile: session.profile.clone(), id, permit: Some(Arc::clone(&session.permit)) }
    }

    /// There is nothing left to kill.
    fn ended(mut self) {
        self.permit = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let mut parameters = vec![("param_id", self.id.clone())];
        parameters.extend(self.profile.frame(&Purpose::OWN, CANCEL_TIME));
        let sql = "KILL QUERY WHERE query_id = {id:String} ASYNC";
        let request = self.server.request(&parameters).body(sql);
        let server = Arc::clone(&self.server);
        stopping::in_the_background(async move {
            match timeout(CANCEL_TIME, request.send()).await {
                Ok(Ok(response)) if response.status().is_success() => {}
                _ => tracing::debug!(location = server.address.location, "a statement could not be killed"),
            }
            drop(permit);
        });
    }
}
