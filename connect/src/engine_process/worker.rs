//! What an engine process does: one database, one statement after the other, and an end as soon as nobody listens.

use std::fs::File;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::wire::{Answer, Reply, Request};
use crate::connector::{Connector, Work};
use crate::error::ConnectError;
use crate::registry::connect;
use crate::statement::StatementSession;

/// Bytes that the process may hold. An engine's own limit comes first, where it looks at it.
const MOST_HELD: usize = 3 << 30;
/// Of one that holds more after a statement the next one would have less.
const MOST_KEPT: usize = 256 << 20;
/// Time between two looks at them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Works for whoever started this process, over standard input and output, until that one is gone. To be called before anything
/// else is done in the process, and nothing after it.
pub fn serve_engine() -> ExitCode {
    be_expendable();
    let Ok(out) = own_output() else { return ExitCode::FAILURE };
    let process: &'static Worker =
        Box::leak(Box::new(Worker { out: Mutex::new(out), is_busy: AtomicBool::new(false) }));
    let (send, requests) = unbounded_channel();
    // On threads of their own, for the engine may keep every other one.
    std::thread::spawn(|| process.watch_memory());
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Some(request) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { break };
            if send.send(request).is_err() {
                break;
            }
        }
        end_at_once();
    });
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(process.serve(requests));
    end_at_once();
}

struct Worker {
    out: Mutex<File>,
    /// Whether a reply is waited for.
    is_busy: AtomicBool,
}

impl Worker {
    async fn serve(&self, mut requests: UnboundedReceiver<Request>) {
        let Some(Request::Database { name, dsn }) = requests.recv().await else { return };
        let connector = connect(&name, &dsn);
        let mut session: Option<Box<dyn StatementSession>> = None;
        while let Some(request) = requests.recv().await {
            self.is_busy.store(true, Ordering::Release);
            let reply = match &connector {
                Ok(connector) => {
                    let carried_out = carry_out(connector.as_ref(), &mut session, request).await;
                    carried_out.unwrap_or_else(|error| Reply::Failed(error.shortened()))
                }
                Err(error) => Reply::Failed(error.clone()),
            };
            let is_large = matches!(reply, Reply::Ended) && held() > MOST_KEPT;
            let reply = if is_large { Reply::EndedForGood } else { reply };
            let work = connector.as_ref().map_or_else(|_| Work::default(), |connector| connector.work());
            self.is_busy.store(false, Ordering::Release);
            if !self.say(&Answer { reply, work }) || is_large {
                return;
            }
        }
    }

    /// Whether it was heard.
    fn say(&self, answer: &Answer) -> bool {
        let Ok(mut line) = serde_json::to_vec(answer) else { return false };
        line.push(b'\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&line).is_ok()
    }

    fn watch_memory(&self) {
        loop {
            if held() > MOST_HELD {
                if self.is_busy.load(Ordering::Acquire) {
                    self.say(&Answer { reply: Reply::TooLarge(MOST_HELD), work: Work::default() });
                }
                end_at_once();
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
}

/// Bytes of memory that the process has.
fn held() -> usize {
    memory_stats::memory_stats().map_or(0, |held| held.physical_mem)
}

#[expect(clippy::disallowed_methods, reason = "the statement was judged by who sent it")]
async fn carry_out(
    connector: &dyn Connector,
    session: &mut Option<Box<dyn StatementSession>>,
    request: Request,
) -> Result<Reply, ConnectError> {
    if let Request::Open { sql, reads, limits } = request {
        let opened = connector.open_statement(&sql, &reads, &limits).await?;
        return Ok(Reply::Opened(session.insert(opened).live().to_vec()));
    }
    let Some(open) = session else { return Ok(Reply::Ended) };
    Ok(match request {
        Request::LookUp(wanted) => Reply::Found(open.look_up(&wanted).await?),
        Request::Plan => Reply::Rows(open.plan().await?),
        Request::Reads(sql) => Reply::Reads(open.reads(&sql).await?),
        Request::DataState => Reply::DataState(open.data_state().await?),
        Request::Run => Reply::Rows(open.run().await?),
        Request::Open { .. } | Request::Database { .. } | Request::End => {
            if let Some(open) = session.take() {
                open.end().await;
            }
            Reply::Ended
        }
    })
}

/// Standard output for replies alone: what a library prints goes nowhere.
#[cfg(unix)]
fn own_output() -> std::io::Result<File> {
    let out = rustix::io::dup(std::io::stdout())?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    Ok(File::from(out))
}

#[cfg(windows)]
fn own_output() -> std::io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    Ok(File::from(std::io::stdout().as_handle().try_clone_to_owned()?))
}

/// Leaves no memory behind, which is other people's data, and is the first to go where the system is short of it.
fn be_expendable() {
    #[cfg(unix)]
    {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        let _as_it_was = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    }
    let _elsewhere_as_it_is = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Ends the process whatever its threads are at: what a library would do at an orderly end could wait for them.
fn end_at_once() -> ! {
    #[cfg(unix)]
    let _killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::exit(1);
}
