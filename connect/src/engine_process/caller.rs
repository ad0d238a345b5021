//! Engine processes as their caller sees them: started, asked, kept, and killed.

use std::fmt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep, timeout_at};

use super::memory::{self, Watched};
use super::wire::{Answer, Reply, Request};
use super::{EngineProgram, PROGRAM};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};
use crate::server_pool::{GRACE, Permit, ServerPool};
use crate::statement::{EngineRead, LiveRelation, ReadRelation, StatementSession, TextFound, TextLookUp};

/// Bytes of a reply; a plan may have some megabytes.
const LONGEST_LINE: u64 = 64 << 20;
/// How long a process is kept that does nothing.
const LINGER: Duration = Duration::from_secs(60);

/// The processes of one database.
pub(crate) struct EngineProcesses {
    program: EngineProgram,
    /// What a connector of the database is opened with.
    name: String,
    dsn: String,
    location: String,
    pool: ServerPool<Process>,
    /// Whether a task looks after those that are idle.
    is_tended: AtomicBool,
}

impl fmt::Debug for EngineProcesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineProcesses").field("location", &self.location).finish_non_exhaustive()
    }
}

impl EngineProcesses {
    /// None where statements run in this process.
    pub(crate) fn of(name: &str, dsn: &str, location: &str) -> Option<Arc<Self>> {
        PROGRAM.get().map(|program| Self::started_by(program.clone(), name, dsn, location))
    }

    pub(super) fn started_by(program: EngineProgram, name: &str, dsn: &str, location: &str) -> Arc<Self> {
        let (name, dsn, location) = (name.to_owned(), dsn.to_owned(), location.to_owned());
        let (pool, is_tended) = (ServerPool::new(), AtomicBool::new(false));
        Arc::new(Self { program, name, dsn, location, pool, is_tended })
    }

    pub(crate) fn work(&self) -> Work {
        self.pool.work()
    }

    /// Has a process compile the statement.
    pub(crate) async fn open(
        self: &Arc<Self>,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        let permit = self.pool.permit(&self.location, limits.timeout).await?;
        let mut statement = ProcessStatement {
            processes: Arc::clone(self),
            held: None,
            live: Vec::new(),
            timeout: limits.timeout,
            given_up: Instant::now() + limits.timeout + GRACE,
        };
        let open = Request::Open { sql: sql.to_owned(), reads: reads.to_vec(), limits: limits.clone() };
        let idle = self.pool.take_idle();
        let was_idle = idle.is_some();
        let process = match idle {
            Some(process) => process,
            None => self.start().await?,
        };
        statement.held = Some((process, permit));
        let mut opened = statement.ask(&open).await;
        // It may have been killed while it did nothing.
        if was_idle && matches!(opened, Err(ConnectError::EngineEnded { .. })) {
            let permit = self.pool.permit(&self.location, limits.timeout).await?;
            statement.held = Some((self.start().await?, permit));
            statement.given_up = Instant::now() + limits.timeout + GRACE;
            opened = statement.ask(&open).await;
        }
        match opened {
            Ok(Reply::Opened(live)) => {
                statement.live = live;
                Ok(Box::new(statement))
            }
            Ok(_) => Err(statement.out_of_step()),
            Err(error) => {
                Box::new(statement).end().await;
                Err(error)
            }
        }
    }

    async fn start(&self) -> Result<Process, ConnectError> {
        let failed = |error: std::io::Error| ConnectError::Open {
            location: self.location.clone(),
            reason: format!("the process for its statements doesn't start: {error}"),
        };
        let mut command = Command::new(&self.program.program);
        command.args(&self.program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // Ctrl-C is for the caller, who ends what is at work.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        let memory = memory::watched(child.id());
        let mut process = Process {
            memory,
            _child: child,
            input,
            output: BufReader::new(output),
            is_asked: false,
            work: Work::default(),
            idle_since: Instant::now(),
        };
        let database = Request::Database { name: self.name.clone(), dsn: self.dsn.clone() };
        process.tell(&database).await.map_err(failed)?;
        Ok(process)
    }

    fn ended(&self) -> ConnectError {
        ConnectError::EngineEnded { location: self.location.clone() }
    }
}

/// Ends processes that have done nothing for long, until none is left.
async fn end_idle(processes: Weak<EngineProcesses>) {
    loop {
        sleep(LINGER).await;
        let Some(processes) = processes.upgrade() else { return };
        // Whoever gives one back from now on sees that somebody is needed again.
        processes.is_tended.store(false, Ordering::Release);
        let kept = processes.pool.keep_idle(|process| process.idle_since.elapsed() < LINGER);
        if kept == 0 || processes.is_tended.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

fn out_of_memory(who: &str, most: usize) -> ConnectError {
    ConnectError::Statement { reason: format!("Out of Memory: {who} took more than {} GB", most >> 30) }
}

/// A process, killed when it is dropped.
struct Process {
    memory: Watched,
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Whether it owes a reply.
    is_asked: bool,
    /// What it has done so far.
    work: Work,
    /// When it was last given back.
    idle_since: Instant,
}

impl Process {
    async fn tell(&mut self, request: &Request) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.input.write_all(&line).await?;
        self.input.flush().await
    }

    async fn ask(&mut self, request: &Request) -> std::io::Result<Answer> {
        self.is_asked = true;
        self.tell(request).await?;
        let mut line = Vec::new();
        (&mut self.output).take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
        let answer = serde_json::from_slice(&line)?;
        self.is_asked = false;
        Ok(answer)
    }
}

/// A statement in a process of its own.
struct ProcessStatement {
    processes: Arc<EngineProcesses>,
    /// Nothing once the process is killed.
    held: Option<(Process, Permit)>,
    live: Vec<LiveRelation>,
    timeout: Duration,
    /// When the process is killed.
    given_up: Instant,
}

impl ProcessStatement {
    async fn ask(&mut self, request: &Request) -> Result<Reply, ConnectError> {
        let Some((process, _)) = &mut self.held else {
            return Err(ConnectError::Timeout { after: self.timeout });
        };
        if process.is_asked {
            // Somebody stopped waiting for a reply, which would be taken for that to the next request.
            return Err(self.out_of_step());
        }
        let answered = timeout_at(self.given_up, process.ask(request)).await;
        let answer = match answered {
            Ok(Ok(answer)) => answer,
            failed => {
                let is_too_large = process.memory.is_too_large();
                self.held = None;
                return Err(match failed {
                    Err(_) => ConnectError::Timeout { after: self.timeout },
                    Ok(_) if is_too_large => out_of_memory("all statements together", memory::MOST_TOGETHER),
                    Ok(_) => self.processes.ended(),
                });
            }
        };
        match answer.reply {
            Reply::TooLarge(most) => {
                self.held = None;
                Err(out_of_memory("it", most))
            }
            reply => {
                self.processes.pool.count(process.work, answer.work);
                process.work = answer.work;
                match reply {
                    // A thread of it may be in a call that goes on.
                    Reply::Failed(error @ (ConnectError::Timeout { .. } | ConnectError::Stopped { .. })) => {
                        self.held = None;
                        Err(error)
                    }
                    Reply::Failed(error) => Err(error),
                    reply => Ok(reply),
                }
            }
        }
    }

    /// What was answered isn't what was asked for.
    fn out_of_step(&mut self) -> ConnectError {
        self.held = None;
        self.processes.ended()
    }
}

#[async_trait]
impl StatementSession for ProcessStatement {
    fn live(&self) -> &[LiveRelation] {
        &self.live
    }

    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError> {
        match self.ask(&Request::LookUp(wanted.to_vec())).await? {
            Reply::Found(found) => Ok(found),
            _ => Err(self.out_of_step()),
        }
    }

    async fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        match self.ask(&Request::Plan).await? {
            Reply::Rows(rows) => Ok(rows),
            _ => Err(self.out_of_step()),
        }
    }

    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        match self.ask(&Request::Reads(sql.to_owned())).await? {
            Reply::Reads(reads) => Ok(reads),
            _ => Err(self.out_of_step()),
        }
    }

    async fn data_state(&mut self) -> Result<Option<String>, ConnectError> {
        match self.ask(&Request::DataState).await? {
            Reply::DataState(state) => Ok(state),
            _ => Err(self.out_of_step()),
        }
    }

    async fn run(&mut self) -> Result<ResultSet, ConnectError> {
        match self.ask(&Request::Run).await? {
            Reply::Rows(rows) => Ok(rows),
            _ => Err(self.out_of_step()),
        }
    }

    async fn end(mut self: Box<Self>) {
        // One that still owes a reply is at work for nobody.
        let is_free = self.held.as_ref().is_some_and(|(process, _)| !process.is_asked);
        if is_free
            && matches!(self.ask(&Request::End).await, Ok(Reply::Ended))
            && let Some((mut process, permit)) = self.held.take()
        {
            process.idle_since = Instant::now();
            self.processes.pool.give_back(process, permit);
            if !self.processes.is_tended.swap(true, Ordering::AcqRel) {
                tokio::spawn(end_idle(Arc::downgrade(&self.processes)));
            }
        }
    }
}
