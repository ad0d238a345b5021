//! Somebody's statement on an engine that blocks its thread.
//!
//! The thread that has opened the connection and compiled the statement stays with it, and is told what to do next over a
//! channel: connection, statement and whatever holds the database as it is live on its stack. It ends when it is told
//! nothing more, or when the time is up. Invariant: the thread waits for nobody longer than the time limit.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

use crate::error::ConnectError;
use crate::result_set::ResultSet;
use crate::statement::{EngineRead, LiveRelation, StatementSession, TextFound, TextLookUp};

/// What the thread does for a statement, once it has compiled it.
pub(crate) trait Compiled {
    fn look_up(&mut self, wanted: &TextLookUp) -> Result<TextFound, ConnectError>;
    fn plan(&mut self) -> Result<ResultSet, ConnectError>;
    fn reads(&mut self, sql: &str) -> Result<Vec<EngineRead>, ConnectError>;
    fn run(&mut self) -> Result<ResultSet, ConnectError>;
    /// See [`StatementSession::data_state`].
    fn data_state(&mut self) -> Option<String> {
        None
    }
}

type Reply<T> = oneshot::Sender<Result<T, ConnectError>>;

/// What the thread is told.
enum Command {
    LookUp(Vec<TextLookUp>, Reply<Vec<TextFound>>),
    Plan(Reply<ResultSet>),
    Reads(String, Reply<Vec<EngineRead>>),
    Run(Reply<ResultSet>),
    DataState(Reply<Option<String>>),
}

/// The thread's end of the channels.
pub(crate) struct Orders {
    commands: Receiver<Command>,
    opened: oneshot::Sender<Vec<LiveRelation>>,
    until: Instant,
}

impl Orders {
    /// Tells that the statement is compiled, and what its relations are; then does what it is told.
    pub(crate) fn serve(self, live: Vec<LiveRelation>, compiled: &mut dyn Compiled) {
        if self.opened.send(live).is_err() {
            return;
        }
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            // Nobody listens to a reply any more where the future was dropped that wanted it.
            match self.commands.recv_timeout(left) {
                Ok(Command::LookUp(wanted, reply)) => {
                    let found = wanted.iter().map(|wanted| compiled.look_up(wanted)).collect();
                    let _unheard = reply.send(found);
                }
                Ok(Command::Plan(reply)) => drop(reply.send(compiled.plan())),
                Ok(Command::Reads(sql, reply)) => drop(reply.send(compiled.reads(&sql))),
                Ok(Command::Run(reply)) => drop(reply.send(compiled.run())),
                Ok(Command::DataState(reply)) => drop(reply.send(Ok(compiled.data_state()))),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// The other end.
pub(crate) struct BlockingStatement {
    live: Vec<LiveRelation>,
    commands: Option<Sender<Command>>,
    /// Ends with an error where something else failed than what was asked.
    work: Option<JoinHandle<Result<(), ConnectError>>>,
    timeout: Duration,
    /// When nobody waits for the thread any more: it can be in a function of the engine that doesn't look whether it should
    /// stop, and then comes back when that has ended.
    given_up: tokio::time::Instant,
}

/// After the time limit, what the engine takes to stop where it does.
const GRACE: Duration = Duration::from_secs(1);

impl BlockingStatement {
    /// Starts `work`, which hands its orders to a thread that ends with [`Orders::serve`].
    pub(crate) async fn open<W>(timeout: Duration, work: impl FnOnce(Orders) -> W) -> Result<Self, ConnectError>
    where
        W: Future<Output = Result<(), ConnectError>> + Send + 'static,
    {
        let (commands, received) = channel();
        let (opened, live) = oneshot::channel();
        let until = Instant::now() + timeout;
        let orders = Orders { commands: received, opened, until };
        let mut statement = Self {
            live: Vec::new(),
            commands: Some(commands),
            work: Some(tokio::spawn(work(orders))),
            timeout,
            given_up: (until + GRACE).into(),
        };
        match timeout_at(statement.given_up, live).await {
            Ok(Ok(live)) => {
                statement.live = live;
                Ok(statement)
            }
            Ok(Err(_)) | Err(_) => Err(statement.why_it_ended().await),
        }
    }

    async fn ask<T>(&mut self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, ConnectError> {
        let (reply, answer) = oneshot::channel();
        let sent = self.commands.as_ref().is_some_and(|commands| commands.send(command(reply)).is_ok());
        match timeout_at(self.given_up, answer).await {
            Ok(Ok(answer)) if sent => answer,
            _ => Err(self.why_it_ended().await),
        }
    }

    async fn why_it_ended(&mut self) -> ConnectError {
        self.commands = None;
        let ended = match self.work.take() {
            Some(work) => timeout_at(self.given_up, work).await.map_or(Ok(()), |ended| ended.unwrap_or(Ok(()))),
            None => Ok(()),
        };
        ended.err().unwrap_or(ConnectError::Timeout { after: self.timeout })
    }
}

impl Drop for BlockingStatement {
    fn drop(&mut self) {
        // What is at work then is stopped with the future that waits for it.
        if let Some(work) = &self.work {
            work.abort();
        }
    }
}

#[async_trait]
impl StatementSession for BlockingStatement {
    fn live(&self) -> &[LiveRelation] {
        &self.live
    }

    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError> {
        let wanted = wanted.to_vec();
        self.ask(|reply| Command::LookUp(wanted, reply)).await
    }

    async fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        self.ask(Command::Plan).await
    }

    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        let sql = sql.to_owned();
        self.ask(|reply| Command::Reads(sql, reply)).await.map(Some)
    }

    async fn data_state(&mut self) -> Result<Option<String>, ConnectError> {
        self.ask(Command::DataState).await
    }

    async fn run(&mut self) -> Result<ResultSet, ConnectError> {
        self.ask(Command::Run).await
    }

    async fn end(mut self: Box<Self>) {
        // The thread is told nothing more, and gives its connection back.
        self.commands = None;
        if let Some(work) = self.work.take() {
            drop(timeout_at(self.given_up, work).await);
        }
    }
}
