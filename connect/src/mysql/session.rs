//! Connections taken from a small pool, each inside a transaction that can only read, and never committed.
//!
//! A session begins with its settings and `START TRANSACTION READ ONLY`, and ends with a reset of the connection, which
//! rolls back and takes locks, variables and prepared statements along. What somebody wrote goes by the protocol of
//! prepared statements, by which the server takes one statement and no more. A session that is dropped before its end,
//! or whose time is up, has its statement stopped on the server by `KILL QUERY` and gives its connection up. Invariant:
//! a connection is back in the pool only after it has been reset.

use catalog::Dialect;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use mysql_async::prelude::Queryable;
use mysql_async::{
    BinaryProtocol, Conn, DriverError, Error, Opts, Params, QueryResult, Row, SslOpts, Statement, Value,
};
use mysql_common::named_params::ParsedNamedParams;
use tokio::time::{Instant, timeout, timeout_at};

use super::address::{Address, Mode};
use super::decode::text;
use super::failure::{Failure, Trouble};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Next;
use crate::server_pool::{CANCEL_TIME, GRACE, LOCK_WAIT, LOG_IN_TIME, LONGEST, Permit, ServerPool};
use crate::stopping;

/// How many semicolons are tried as the end of a first statement, once a text has turned out to be no single one.
const ENDS_TRIED: usize = 8;

/// What every statement that maintains tables reports.
const MAINTENANCE_COLUMNS: [&str; 4] = ["Table", "Op", "Msg_type", "Msg_text"];

/// Which of the two a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    MariaDb,
    MySql,
}

/// A connection, and what is at its other end.
struct Connection {
    driver: Conn,
    flavour: Flavour,
}

/// The connections to one database.
pub(super) struct Pool {
    address: Address,
    plain: Opts,
    encrypted: Option<Opts>,
    connections: ServerPool<Connection>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("location", &self.address.location).finish_non_exhaustive()
    }
}

/// A connection in use, inside its transaction.
pub(super) struct Session {
    pool: Arc<Pool>,
    time_limit: Duration,
    deadline: Instant,
    /// Whether a statement may still run, or rows of one still arrive.
    unfinished: bool,
    /// What has to be stopped if the session is dropped; `None` once it has ended.
    held: Option<(Connection, Permit)>,
}

impl Pool {
    pub(super) fn new(address: Address) -> Result<Arc<Self>, ConnectError> {
        let encrypted = address.encrypted().map_err(|reason| ConnectError::Encryption {
            dialect: Dialect::Mysql,
            location: address.location.clone(),
            reason,
        })?;
        let with = |ssl: Option<SslOpts>| Opts::from(address.options.clone().ssl_opts(ssl));
        let (plain, encrypted) = (with(None), encrypted.map(|ssl| with(Some(ssl))));
        Ok(Arc::new(Self { plain, encrypted, address, connections: ServerPool::new() }))
    }

    pub(super) fn database(&self) -> &str {
        &self.address.database
    }

    pub(super) fn work(&self) -> Work {
        self.connections.work()
    }

    pub(super) fn in_use(&self) -> u64 {
        self.connections.in_use()
    }

    /// A connection whose statements together may take `time_limit`, waiting for locks included.
    pub(super) async fn session(self: &Arc<Self>, time_limit: Duration) -> Result<Session, ConnectError> {
        let time_limit = time_limit.min(LONGEST);
        let permit = self.connections.permit(&self.address.location, time_limit).await?;
        let failure = self.failure(time_limit);
        loop {
            let (mut connection, was_pooled) = self.idle_or_new(&failure).await?;
            let deadline = Instant::now() + time_limit + GRACE;
            let mut frame = begin(time_limit, connection.flavour);
            // A reset may not take it back, and needn't: these connections are all for that role.
            if let Some(role) = &self.address.role {
                frame = format!("SET ROLE {}; {frame}", Dialect::Mysql.identifier(role));
            }
            let begun = timeout_at(deadline, connection.driver.query_drop(frame)).await;
            match begun.map_err(|_| Trouble::NoAnswer).and_then(|begun| begun.map_err(Trouble::from)) {
                Ok(()) => {
                    let (pool, held) = (Arc::clone(self), Some((connection, permit)));
                    return Ok(Session { pool, time_limit, deadline, unfinished: false, held });
                }
                // The server was started anew, or closed what lay idle; a connection of now may do.
                Err(trouble) if was_pooled && trouble.is_lost_connection() => {}
                Err(trouble) => return Err(failure.explain(trouble)),
            }
        }
    }

    /// A connection that lay idle, with `true`, or a new one.
    async fn idle_or_new(&self, failure: &Failure<'_>) -> Result<(Connection, bool), ConnectError> {
        match self.connections.take_idle() {
            Some(idle) => Ok((idle, true)),
            None => Ok((self.log_in(failure).await?, false)),
        }
    }

    async fn log_in(&self, failure: &Failure<'_>) -> Result<Connection, ConnectError> {
        let location = self.address.location.clone();
        let logging_in = async {
            let mut driver = self.connect().await?;
            let version: Option<Row> = driver.query_first("SELECT VERSION()").await?;
            Ok((driver, version))
        };
        let (driver, version) = match timeout(LOG_IN_TIME, logging_in).await {
            Ok(Ok(logged_in)) => logged_in,
            Ok(Err(error)) => return Err(failure.explain(Trouble::Driver(error))),
            Err(_) => {
                let reason = format!("no answer within {} s", LOG_IN_TIME.as_secs());
                return Err(ConnectError::Unreachable { location, reason });
            }
        };
        let version = version.and_then(|mut row| row.take::<String, _>(0)).unwrap_or_default();
        let (flavour, oldest) = match version.to_ascii_lowercase().contains("mariadb") {
            true => (Flavour::MariaDb, (10, 6)),
            false => (Flavour::MySql, (8, 0)),
        };
        let (major, minor, _) = driver.server_version();
        if (major, minor) < oldest {
            let reason = format!("the server is version {version}; MariaDB 10.6 or MySQL 8.0 is the oldest supported");
            return Err(ConnectError::Unreachable { location, reason });
        }
        Ok(Connection { driver, flavour })
    }

    async fn connect(&self) -> Result<Conn, Error> {
        let Some(encrypted) = &self.encrypted else { return Conn::new(self.plain.clone()).await };
        match Conn::new(encrypted.clone()).await {
            Err(Error::Driver(DriverError::NoClientSslFlagFromServer)) if self.address.mode == Mode::Preferred => {
                Conn::new(self.plain.clone()).await
            }
            connected => connected,
        }
    }

    /// Has the server stop what the connection of that number is at.
    async fn kill_query(&self, connection: u32) {
        let killing = async {
            let mut other = self.connect().await?;
            other.query_drop(format!("KILL QUERY {connection}")).await?;
            other.disconnect().await
        };
        if !matches!(timeout(CANCEL_TIME, killing).await, Ok(Ok(()))) {
            tracing::debug!(location = self.address.location, "a statement could not be stopped");
        }
    }

    fn failure(&self, time_limit: Duration) -> Failure<'_> {
        Failure { location: &self.address.location, timeout: time_limit, lock_wait: LOCK_WAIT.min(time_limit) }
    }
}

/// Bytes of memory, and of tables on the disk, that a session of ours may take.
const MEMORY: u64 = 1 << 30;
const DISK: u64 = 8 << 30;

/// Modes by which a server takes a text apart otherwise than it is checked: what is a string and what is a name, and
/// where either ends. The combinations bring `ANSI_QUOTES` back with them. `ANSI` comes last, being part of other names.
const MODES_OF_READING: [&str; 8] =
    ["NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "ORACLE", "MSSQL", "DB2", "MAXDB", "POSTGRESQL", "ANSI"];

/// The frame of every session. What is set here is gone with the reset at its end. Of `sql_mode` the rest stays as the
/// server has it, because it decides what a statement gives.
pub(super) fn begin(time_limit: Duration, flavour: Flavour) -> String {
    let limit = time_limit_setting(time_limit, flavour);
    let limit = match flavour {
        // One statement takes no more of the server's memory and disk than this, where the server counts it.
        Flavour::MariaDb => format!(
            "{limit}, SESSION max_session_mem_used = IF(@@max_session_mem_used > {MEMORY}, {MEMORY}, @@max_session_mem_used), \
             SESSION tmp_disk_table_size = IF(@@tmp_disk_table_size > {DISK}, {DISK}, @@tmp_disk_table_size)"
        ),
        // The statistics of the tables are to be those of now.
        Flavour::MySql => format!("{limit}, SESSION information_schema_stats_expiry = 0"),
    };
    let mode =
        MODES_OF_READING.iter().fold("@@sql_mode".to_owned(), |modes, mode| format!("REPLACE({modes}, '{mode}', '')"));
    let lock = LOCK_WAIT.min(time_limit).as_secs().max(1);
    format!(
        "SET NAMES utf8mb4, SESSION sql_mode = {mode}, SESSION {limit}, SESSION lock_wait_timeout = {lock}, \
         SESSION innodb_lock_wait_timeout = {lock}; START TRANSACTION READ ONLY"
    )
}

fn time_limit_setting(time_limit: Duration, flavour: Flavour) -> String {
    match flavour {
        Flavour::MariaDb => format!("max_statement_time = {:.3}", time_limit.as_secs_f64().max(0.001)),
        Flavour::MySql => format!("max_execution_time = {}", time_limit.as_millis().max(1)),
    }
}

impl Session {
    pub(super) fn database(&self) -> &str {
        self.pool.database()
    }

    pub(super) fn flavour(&self) -> Flavour {
        self.held.as_ref().map_or(Flavour::MySql, |(connection, _)| connection.flavour)
    }

    fn explain(&self, trouble: Trouble) -> ConnectError {
        self.pool.failure(self.time_limit).explain(trouble)
    }

    /// Hands every row of a statement of our own to `take`.
    pub(super) async fn each_row(
        &mut self,
        sql: &str,
        parameters: Vec<Value>,
        take: impl FnMut(Row) -> Next + Send,
    ) -> Result<(), ConnectError> {
        let pool = Arc::clone(&self.pool);
        pool.connections.count_statement();
        let parameters = if parameters.is_empty() { Params::Empty } else { Params::Positional(parameters) };
        let Some((connection, _)) = &mut self.held else { return Err(self.explain(Trouble::NoAnswer)) };
        let reading = async {
            let mut result = connection.driver.exec_iter(sql, parameters).await?;
            read_rows(&pool, &mut result, take).await
        };
        let read = timeout_at(self.deadline, reading).await.unwrap_or(Err(Trouble::NoAnswer));
        self.note_end(read)
    }

    /// The first row of a statement of our own.
    pub(super) async fn first_row(&mut self, sql: &str, parameters: Vec<Value>) -> Result<Option<Row>, ConnectError> {
        let mut first = None;
        let keep_first = |row| {
            first.get_or_insert(row);
            Next::Continue
        };
        self.each_row(sql, parameters, keep_first).await?;
        Ok(first)
    }

    /// The column at `place` of a statement of our own that goes by the text protocol: what shows or sets something is
    /// not always taken by the other. Cells without a text are left out.
    pub(super) async fn texts(&mut self, sql: &str, place: usize) -> Result<Vec<String>, ConnectError> {
        Ok(self.text_rows(sql).await?.iter().filter_map(|row| text(row, place)).collect())
    }

    /// The rows of a statement of our own, by the protocol that takes one way there and back.
    pub(super) async fn text_rows(&mut self, sql: &str) -> Result<Vec<Row>, ConnectError> {
        let pool = Arc::clone(&self.pool);
        pool.connections.count_statement();
        let Some((connection, _)) = &mut self.held else { return Err(self.explain(Trouble::NoAnswer)) };
        let asking = async { Ok(connection.driver.query(sql).await?) };
        let rows: Vec<Row> = match timeout_at(self.deadline, asking).await.unwrap_or(Err(Trouble::NoAnswer)) {
            Ok(rows) => rows,
            Err(trouble) => return Err(self.note_failure(trouble)),
        };
        rows.iter().for_each(|_| pool.connections.count_row());
        Ok(rows)
    }

    /// Asks for a limit of `left` for the statement that comes next.
    pub(super) async fn shorten(&mut self, left: Duration) -> Result<(), ConnectError> {
        let sql = format!("SET SESSION {}", time_limit_setting(left, self.flavour()));
        self.text_rows(&sql).await.map(drop)
    }

    /// Ends the session together with its connection, for what a reset doesn't undo.
    pub(super) fn give_up(mut self) {
        self.held = None;
    }

    /// Compiles a statement somebody wrote; by the protocol it can be only one.
    pub(super) async fn prepare(&mut self, sql: &str) -> Result<Statement, ConnectError> {
        if sql.chars().all(|character| character.is_whitespace() || character == ';') {
            return Err(ConnectError::StatementCount { found: "none is".into() });
        }
        // The driver would put a question mark where it sees a `:name`, and so send another text than was judged.
        if !ParsedNamedParams::parse(sql.as_bytes()).is_ok_and(|parsed| parsed.params().is_empty()) {
            return Err(ConnectError::Statement { reason: "a `:name` stands for no value here".to_owned() });
        }
        self.pool.connections.count_statement();
        let prepared = match self.try_prepare(sql).await {
            Ok(prepared) => prepared,
            Err(trouble) if trouble.is_syntax_error() && self.begins_with_a_statement(sql).await => {
                return Err(ConnectError::StatementCount { found: "several are".into() });
            }
            Err(trouble) => return Err(self.explain(trouble)),
        };
        if prepared.num_params() > 0 {
            return Err(ConnectError::Statement { reason: "a `?` stands for no value here".to_owned() });
        }
        // What leaves the transaction or the session (COMMIT, SET, CALL, INTO OUTFILE …) gives no columns.
        if prepared.num_columns() == 0 {
            return Err(ConnectError::Denied { reason: "the statement gives no rows, so it is no query".to_owned() });
        }
        // ANALYZE, OPTIMIZE, REPAIR and CHECK give rows and still write, also where nothing may be written. What they
        // report is always in the same columns.
        if prepared.columns().iter().map(|column| column.name_str()).eq(MAINTENANCE_COLUMNS) {
            return Err(ConnectError::Denied {
                reason: "the statement maintains tables, so it is no query".to_owned(),
            });
        }
        Ok(prepared)
    }

    async fn try_prepare(&mut self, sql: &str) -> Result<Statement, Trouble> {
        let deadline = self.deadline;
        let Some((connection, _)) = &mut self.held else { return Err(Trouble::NoAnswer) };
        let preparing = async { Ok(connection.driver.prep(sql).await?) };
        timeout_at(deadline, preparing).await.unwrap_or(Err(Trouble::NoAnswer))
    }

    /// Whether a text that is no statement is one up to a semicolon with more behind it.
    async fn begins_with_a_statement(&mut self, sql: &str) -> bool {
        for (end, _) in sql.match_indices(';').take(ENDS_TRIED) {
            let (first, rest) = (sql[..end].trim(), &sql[end + 1..]);
            if first.is_empty() || rest.trim().is_empty() {
                continue;
            }
            match self.try_prepare(first).await {
                Ok(_) => return true,
                Err(trouble) if trouble.is_not_preparable() => return true,
                Err(_) => {}
            }
        }
        false
    }

    /// Runs a statement that has passed [`Session::prepare`], and hands every row to `take`.
    pub(super) async fn run_prepared(
        &mut self,
        prepared: &Statement,
        take: impl FnMut(Row) -> Next + Send,
    ) -> Result<(), ConnectError> {
        let pool = Arc::clone(&self.pool);
        pool.connections.count_statement();
        let Some((connection, _)) = &mut self.held else { return Err(self.explain(Trouble::NoAnswer)) };
        let running = async {
            let mut result = connection.driver.exec_iter(prepared, Params::Empty).await?;
            read_rows(&pool, &mut result, take).await
        };
        let ran = timeout_at(self.deadline, running).await.unwrap_or(Err(Trouble::NoAnswer));
        self.note_end(ran)
    }

    fn note_end(&mut self, read: Result<Next, Trouble>) -> Result<(), ConnectError> {
        match read {
            Ok(next) => {
                self.unfinished |= next == Next::Stop;
                Ok(())
            }
            Err(trouble) => Err(self.note_failure(trouble)),
        }
    }

    fn note_failure(&mut self, trouble: Trouble) -> ConnectError {
        self.unfinished |= matches!(trouble, Trouble::NoAnswer);
        if trouble.is_lost_connection() {
            // There is nothing to stop or to reset any more.
            self.held = None;
        }
        self.explain(trouble)
    }

    /// Ends the transaction, gives the connection back, and `result` on.
    pub(super) async fn end<T>(mut self, result: Result<T, ConnectError>) -> Result<T, ConnectError> {
        // A statement that may still run must be stopped, which is what dropping does.
        if self.unfinished || Instant::now() >= self.deadline {
            return result;
        }
        let Some((mut connection, permit)) = self.held.take() else { return result };
        let ending = async {
            let scanned = rows_scanned(&mut connection.driver).await?;
            Ok::<_, Error>((connection.driver.reset().await?, scanned))
        };
        if let Ok(Ok((was_reset, scanned))) = timeout(CANCEL_TIME, ending).await {
            self.pool.connections.count_scanned(scanned);
            if was_reset {
                self.pool.connections.give_back(connection, permit);
            }
        }
        result
    }
}

/// Rows that the session skipped in scans without an index: the server counts them from the last reset on.
async fn rows_scanned(driver: &mut Conn) -> Result<u64, Error> {
    let row: Option<Row> = driver.query_first("SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'").await?;
    let figure = row.and_then(|mut row| row.take::<String, _>(1));
    Ok(figure.and_then(|figure| figure.parse().ok()).unwrap_or(0))
}

async fn read_rows(
    pool: &Pool,
    result: &mut QueryResult<'_, '_, BinaryProtocol>,
    mut take: impl FnMut(Row) -> Next + Send,
) -> Result<Next, Trouble> {
    let Some(mut rows) = result.stream::<Row>().await? else { return Ok(Next::Continue) };
    while let Some(row) = rows.try_next().await? {
        pool.connections.count_row();
        if take(row) == Next::Stop {
            return Ok(Next::Stop);
        }
    }
    Ok(Next::Continue)
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some((connection, permit)) = self.held.take() else { return };
        let pool = Arc::clone(&self.pool);
        stopping::in_the_background(async move {
            pool.kill_query(connection.driver.id()).await;
            // Closing comes after stopping, and the next may connect when this is done.
            drop(connection);
            drop(permit);
        });
    }
}
