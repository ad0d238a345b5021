//! Connections taken from a small pool, each inside a transaction that can only read, and always rolled back.
//!
//! A session begins with `BEGIN … READ ONLY` and a first snapshot, after which PostgreSQL lets nothing make the
//! transaction a writing one. Our own statements all see that snapshot's rows; one with somebody's statement sees the
//! structure that the statement's locks hold, see [`Pool::statement`]. A session that is dropped before its end, or whose time is up, cancels its statement on
//! the server and gives its connection up. Invariant: a connection is back in the pool only outside of a transaction.

use catalog::Dialect;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::join4;
use futures_util::{StreamExt, TryStreamExt};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, SimpleQueryMessage, SimpleQueryRow, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;
use super::failure::{Failure, Trouble};
use super::tls;
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Next;
use crate::server_pool::{CANCEL_TIME, GRACE, LOCK_WAIT, LOG_IN_TIME, LONGEST, Permit, ServerPool};
use crate::stopping;

/// All statements of a session see the rows of one moment.
const ONE_STATE: &str = "REPEATABLE READ";
/// Each statement of a session sees what was committed before it.
const LATEST_STATE: &str = "READ COMMITTED";

/// A parameter of a statement of our own, with its type.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// The connections to one database.
pub(super) struct Pool {
    address: Address,
    tls: MakeRustlsConnect,
    connections: ServerPool<Connection>,
    /// Whether what one session had compiled is still there for the next one on its connection. Behind a pooler that
    /// gives each transaction another connection to the server it isn't.
    keeps_compiled: AtomicBool,
}

struct Connection {
    client: Client,
    /// What is asked behind somebody's statement, compiled: planning it takes longer than running it.
    behind: Option<Statement>,
}

impl Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
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
    /// Whether the server was told to stop a statement, which may reach it when the next one runs.
    cancelled: AtomicBool,
    /// What has to be cancelled if the session is dropped; `None` once it has ended.
    held: Option<(Connection, Permit)>,
}

impl Pool {
    pub(super) fn new(address: Address) -> Result<Arc<Self>, ConnectError> {
        let tls = tls::connector(&address.encryption).map_err(|reason| ConnectError::Encryption {
            dialect: Dialect::Postgres,
            location: address.location.clone(),
            reason,
        })?;
        Ok(Arc::new(Self { address, tls, connections: ServerPool::new(), keeps_compiled: AtomicBool::new(true) }))
    }

    pub(super) fn work(&self) -> Work {
        self.connections.work()
    }

    /// A connection whose statements together may take `time_limit`, waiting for locks included.
    pub(super) async fn session(self: &Arc<Self>, time_limit: Duration) -> Result<Session, ConnectError> {
        let time_limit = time_limit.min(LONGEST);
        let permit = self.connections.permit(&self.address.location, time_limit).await?;
        let failure = self.failure(time_limit);
        loop {
            let (client, was_pooled) = self.idle_or_new(&failure).await?;
            let deadline = Instant::now() + time_limit + GRACE;
            let begun = timeout_at(deadline, client.batch_execute(&self.begin(time_limit, ONE_STATE))).await;
            match begun.map_err(|_| Trouble::NoAnswer).and_then(|begun| begun.map_err(Trouble::from)) {
                Ok(()) => return Ok(self.begun(client, permit, time_limit, deadline)),
                // The server was started anew, or closed what lay idle; a connection of now may do.
                Err(trouble) if was_pooled && trouble.is_lost_connection() => {}
                Err(trouble) => return Err(failure.explain(trouble)),
            }
        }
    }

    /// A session that begins with somebody's statement, which by the protocol can be only one: compiled, and with the
    /// rows of a statement of our own that is asked behind it. All of this goes to the server at once.
    ///
    /// Compiling locks every relation that the statement reads, by views too, and the locks stay until the end. What is
    /// asked behind it sees what was committed before them, so that nothing can change in between.
    pub(super) async fn statement(
        self: &Arc<Self>,
        sql: &str,
        time_limit: Duration,
        behind: Option<(&str, &[Parameter<'_>])>,
    ) -> Result<(Session, Statement, Vec<Row>), ConnectError> {
        if sql.chars().all(|character| character.is_whitespace() || character == ';') {
            return Err(ConnectError::StatementCount { found: "none is".into() });
        }
        let time_limit = time_limit.min(LONGEST);
        let permit = self.connections.permit(&self.address.location, time_limit).await?;
        let failure = self.failure(time_limit);
        loop {
            let (mut client, was_pooled) = self.idle_or_new(&failure).await?;
            let deadline = Instant::now() + time_limit + GRACE;
            let kept = client.behind.as_ref();
            let compiling = async {
                let (sql, parameters) = behind.filter(|_| kept.is_none() && self.keeps_compiled.load(Relaxed))?;
                let kinds: Vec<Type> = parameters.iter().map(|(_, kind)| kind.clone()).collect();
                client.prepare_typed(sql, &kinds).await.ok()
            };
            let asking = async {
                let Some((sql, parameters)) = behind else { return Ok(Vec::new()) };
                match kept {
                    Some(kept) => {
                        let values: Vec<_> = parameters.iter().map(|(value, _)| *value).collect();
                        client.query(kept, &values).await
                    }
                    None => {
                        let parameters: Vec<_> =
                            parameters.iter().map(|(value, kind)| (*value, kind.clone())).collect();
                        client.query_typed(sql, &parameters).await
                    }
                }
            };
            let begin = self.begin(time_limit, LATEST_STATE);
            // Polled in this order, they are sent in this order.
            let all = join4(client.batch_execute(&begin), compiling, client.prepare(sql), asking);
            let (begun, compiled, prepared, rows) = match timeout_at(deadline, all).await {
                Ok((begun, compiled, prepared, rows)) => (begun.map_err(Trouble::from), compiled, prepared, rows),
                Err(_) => {
                    drop(self.begun(client, permit, time_limit, deadline));
                    return Err(failure.explain(Trouble::NoAnswer));
                }
            };
            let had_kept = kept.is_some();
            if had_kept && prepared.is_ok() && rows.as_ref().is_err_and(|error| error.code() == Some(&NOT_COMPILED)) {
                self.keeps_compiled.store(false, Relaxed);
                continue;
            }
            client.behind = client.behind.or(compiled);
            match begun {
                Ok(()) => {}
                // The server was started anew, or closed what lay idle; a connection of now may do.
                Err(trouble) if was_pooled && trouble.is_lost_connection() => continue,
                Err(trouble) => return Err(failure.explain(trouble)),
            }
            let session = self.begun(client, permit, time_limit, deadline);
            self.connections.count_statement();
            let checked = prepared.map_err(|error| session.explain(error.into())).and_then(|prepared| {
                // What leaves the transaction or the session (COMMIT, SET, DO, LISTEN, COPY …) gives no columns.
                let reason = "the statement gives no rows, so it is no query".to_owned();
                match prepared.columns().is_empty() {
                    true => Err(ConnectError::Denied { reason }),
                    false => Ok(prepared),
                }
            });
            let prepared = match checked {
                Ok(prepared) => prepared,
                Err(error) => return session.end(Err(error)).await,
            };
            return match rows {
                Ok(rows) => Ok((session, prepared, rows)),
                Err(error) => {
                    let error = session.explain(error.into());
                    session.end(Err(error)).await
                }
            };
        }
    }

    fn begun(self: &Arc<Self>, client: Connection, permit: Permit, time_limit: Duration, deadline: Instant) -> Session {
        Session {
            pool: Arc::clone(self),
            time_limit,
            deadline,
            cancelled: AtomicBool::new(false),
            held: Some((client, permit)),
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
        let (client, connection) = match timeout(LOG_IN_TIME, self.address.config.connect(self.tls.clone())).await {
            Ok(Ok(logged_in)) => logged_in,
            Ok(Err(error)) => return Err(failure.explain(error.into())),
            Err(_) => {
                let reason = format!("no answer within {} s", LOG_IN_TIME.as_secs());
                return Err(ConnectError::Unreachable { location, reason });
            }
        };
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(location, %error, "the connection has ended");
            }
        });
        Ok(Connection { client, behind: None })
    }

    /// What every session begins with. The role is another one until the transaction ends, and is the last that is set: what
    /// comes before it may take more rights.
    fn begin(&self, time_limit: Duration, isolation: &str) -> String {
        let frame = begin(time_limit, isolation);
        match &self.address.role {
            Some(role) => format!("{frame}; SET LOCAL ROLE {}", Dialect::Postgres.identifier(role)),
            None => frame,
        }
    }

    fn failure(&self, time_limit: Duration) -> Failure<'_> {
        Failure { location: &self.address.location, timeout: time_limit, lock_wait: LOCK_WAIT.min(time_limit) }
    }
}

/// The frame of every session. What is set here is gone with the transaction. Strings end where the check of a
/// statement has seen them end, whatever the role or the database has set.
fn begin(time_limit: Duration, isolation: &str) -> String {
    let statement = time_limit.as_millis().max(1);
    let lock = LOCK_WAIT.min(time_limit).as_millis().max(1);
    let idle = (time_limit + Duration::from_secs(60)).as_millis();
    format!(
        "BEGIN TRANSACTION ISOLATION LEVEL {isolation}, READ ONLY; SET LOCAL statement_timeout = {statement}; \
         SET LOCAL lock_timeout = {lock}; SET LOCAL idle_in_transaction_session_timeout = {idle}; \
         SET LOCAL DateStyle = ISO; SET LOCAL bytea_output = hex; SET LOCAL extra_float_digits = 3; \
         SET LOCAL synchronize_seqscans = off; SET LOCAL standard_conforming_strings = on; {HELD_BACK}"
    )
}

/// What a server takes of limits that not every one has, or not every role may set. A statement whose client is gone is
/// noticed within half a second, where the server can look (PostgreSQL 14, and not on Windows). Files for what doesn't fit
/// into memory are bounded where the role is a superuser's, for which nobody else has bounded them. Nothing is compiled to
/// machine code: that can't be interrupted, and takes minutes for a statement with a few hundred sets of groups. No sort takes more than
/// 16 MB before it goes to the disk: the guard counts on that. What we ask ourselves is planned once a connection.
const HELD_BACK: &str = "SELECT CASE WHEN current_setting('client_connection_check_interval', true) = '0' \
     AND version() !~* 'visual|msvc|mingw|windows' THEN set_config('client_connection_check_interval', '500', true) END, \
     CASE WHEN current_setting('is_superuser') = 'on' AND current_setting('temp_file_limit') = '-1' \
     THEN set_config('temp_file_limit', '8GB', true) END, \
     CASE WHEN pg_size_bytes(current_setting('work_mem')) > 16777216 THEN set_config('work_mem', '16MB', true) END, \
     CASE WHEN current_setting('jit', true) = 'on' THEN set_config('jit', 'off', true) END, \
     CASE WHEN current_setting('plan_cache_mode', true) <> '' THEN set_config('plan_cache_mode', 'force_generic_plan', true) END";

/// A connection to the server doesn't have a statement of that name.
const NOT_COMPILED: SqlState = SqlState::INVALID_SQL_STATEMENT_NAME;

impl Session {
    fn client(&self) -> Result<&Client, Trouble> {
        self.held.as_ref().map(|(connection, _)| &connection.client).ok_or(Trouble::NoAnswer)
    }

    pub(super) fn explain(&self, trouble: Trouble) -> ConnectError {
        self.pool.failure(self.time_limit).explain(trouble)
    }

    /// Hands every row of a statement of our own to `take`.
    pub(super) async fn try_each_row(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        mut take: impl FnMut(&Row) -> Result<Next, tokio_postgres::Error> + Send,
    ) -> Result<(), Trouble> {
        let client = self.client()?;
        self.pool.connections.count_statement();
        let reading = async {
            let parameters = parameters.iter().map(|(value, kind)| (*value, kind.clone()));
            let rows = client.query_typed_raw(sql, parameters).await?;
            let mut rows = std::pin::pin!(rows);
            while let Some(row) = rows.try_next().await? {
                self.pool.connections.count_row();
                if take(&row)? == Next::Stop {
                    self.cancel(client).await;
                    while let Some(Ok(_)) = rows.next().await {}
                    break;
                }
            }
            Ok(())
        };
        timeout_at(self.deadline, reading).await.unwrap_or(Err(Trouble::NoAnswer))
    }

    /// As [`Session::try_each_row`], with the error explained.
    pub(super) async fn each_row(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        take: impl FnMut(&Row) -> Result<Next, tokio_postgres::Error> + Send,
    ) -> Result<(), ConnectError> {
        self.try_each_row(sql, parameters, take).await.map_err(|trouble| self.explain(trouble))
    }

    /// The first row of a statement of our own, read by `read`.
    pub(super) async fn first_row<T: Send>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl Fn(&Row) -> Result<T, tokio_postgres::Error> + Send + Sync,
    ) -> Result<Option<T>, ConnectError> {
        let mut first = None;
        let keep_first = |row: &Row| {
            if first.is_none() {
                first = Some(read(row)?);
            }
            Ok(Next::Continue)
        };
        self.each_row(sql, parameters, keep_first).await?;
        Ok(first)
    }

    /// Asks, behind what was asked before, for a limit of `left` for the statement that comes next.
    pub(super) async fn shorten(&self, left: Duration) -> Result<(), ConnectError> {
        let sql = format!("SET LOCAL statement_timeout = {}", left.as_millis().max(1));
        let setting = async { Ok(self.client()?.batch_execute(&sql).await?) };
        let set = timeout_at(self.deadline, setting).await.unwrap_or(Err(Trouble::NoAnswer));
        set.map_err(|trouble| self.explain(trouble))
    }

    /// Runs a statement that [`Pool::statement`] has compiled, and hands every row to `take` as text.
    ///
    /// The driver offers text for every type only where it sends a statement whole. The same text has been found to be
    /// one statement in this very session, so it is one here.
    pub(super) async fn run_compiled(
        &self,
        sql: &str,
        mut take: impl FnMut(&SimpleQueryRow) -> Next + Send,
    ) -> Result<(), ConnectError> {
        self.pool.connections.count_statement();
        let running = async {
            let client = self.client()?;
            let messages = client.simple_query_raw(sql).await?;
            let mut messages = std::pin::pin!(messages);
            while let Some(message) = messages.try_next().await? {
                let SimpleQueryMessage::Row(row) = message else { continue };
                self.pool.connections.count_row();
                if take(&row) == Next::Stop {
                    self.cancel(client).await;
                    while let Some(Ok(_)) = messages.next().await {}
                    break;
                }
            }
            Ok(())
        };
        let ran = timeout_at(self.deadline, running).await.unwrap_or(Err(Trouble::NoAnswer));
        ran.map_err(|trouble| self.explain(trouble))
    }

    /// Has the server stop the statement, of which no more rows are wanted.
    async fn cancel(&self, client: &Client) {
        self.cancelled.store(true, Relaxed);
        let cancelled = timeout(CANCEL_TIME, client.cancel_token().cancel_query(self.pool.tls.clone())).await;
        if !matches!(cancelled, Ok(Ok(()))) {
            tracing::debug!(location = self.pool.address.location, "a statement could not be cancelled");
        }
    }

    /// Ends the transaction, gives the connection back, and `result` on.
    ///
    /// Nobody waits for the server to say that it has ended: what the next session asks stands behind it on the same
    /// connection. Where a statement was cancelled it has to be seen, since that could reach the end instead.
    pub(super) async fn end<T>(mut self, result: Result<T, ConnectError>) -> Result<T, ConnectError> {
        // A statement that may still run must be cancelled, which is what dropping does.
        let unfinished = Instant::now() >= self.deadline;
        if unfinished {
            return result;
        }
        let Some((client, permit)) = self.held.take() else { return result };
        let ended = {
            // Locks that a statement took by hand outlive its transaction.
            let ending = client.batch_execute("ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()");
            let mut ending = std::pin::pin!(ending);
            match self.cancelled.load(Relaxed) {
                true => matches!(timeout(CANCEL_TIME, ending).await, Ok(Ok(()))),
                false => !matches!(futures_util::poll!(&mut ending), Poll::Ready(Err(_))),
            }
        };
        match ended {
            true => self.pool.connections.give_back(client, permit),
            false => self.held = Some((client, permit)),
        }
        result
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some((client, permit)) = self.held.take() else { return };
        // Without a connection there is nothing to cancel with.
        if client.is_closed() {
            return;
        }
        let tls = self.pool.tls.clone();
        stopping::in_the_background(async move {
            let _ = timeout(CANCEL_TIME, client.cancel_token().cancel_query(tls)).await;
            // Closing comes after cancelling, and the next may connect when this is done.
            drop(client);
            drop(permit);
        });
    }
}
