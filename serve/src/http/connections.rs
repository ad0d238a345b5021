//! Connections: how many, how slow, and how they end.
//!
//! Whoever may ask nothing takes no place from those who may: where all are taken, a connection on which no admitted request is
//! under way ends for the next one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower_http::add_extension::AddExtension;

use super::HttpOptions;
use super::tls::Tls;
use crate::context::unpoisoned;
use crate::metrics::Metrics;

/// Bytes of headers, all together.
const HEADER_BYTES: usize = 32 << 10;

/// How long accepting waits after it failed, as when there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// How long connections may take to end once they are told to.
const LAST: Duration = Duration::from_secs(1);

/// The connections that are open.
struct Open {
    most: usize,
    each: Mutex<HashMap<u64, Idleness>>,
    /// Tells that one has ended, or has nothing under way.
    changed: Notify,
}

/// Whether anything is under way on a connection.
struct Idleness {
    /// Admitted requests whose answers aren't with the client yet.
    under_way: usize,
    /// Of these, streams that their clients only listen to, and can begin again.
    streams: usize,
    /// Since when there is none.
    since: Instant,
    /// Whether there ever was one.
    was_admitted: bool,
    peer: IpAddr,
    ended: CancellationToken,
}

/// A connection, as the requests on it know it.
#[derive(Clone)]
pub(super) struct Connection {
    number: u64,
    open: Arc<Open>,
}

/// An admitted request on a connection, until it is dropped.
pub(super) struct Admitted {
    on: Connection,
    is_stream: bool,
}

impl Connection {
    /// Says that a request on it has been admitted.
    pub(super) fn admit(&self, is_stream: bool) -> Admitted {
        if let Some(idleness) = unpoisoned(&self.open.each).get_mut(&self.number) {
            idleness.under_way += 1;
            idleness.streams += usize::from(is_stream);
            idleness.was_admitted = true;
        }
        Admitted { on: self.clone(), is_stream }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let Connection { number, open } = &self.on;
        if let Some(idleness) = unpoisoned(&open.each).get_mut(number) {
            idleness.under_way -= 1;
            idleness.streams -= usize::from(self.is_stream);
            idleness.since = Instant::now();
        }
        open.changed.notify_one();
    }
}

impl Open {
    /// A place for a connection, once there is one.
    async fn place(self: &Arc<Self>, number: u64, peer: IpAddr) -> (Connection, CancellationToken) {
        loop {
            let changed = self.changed.notified();
            if let Some(ended) = self.take(number, peer) {
                return (Connection { number, open: Arc::clone(self) }, ended);
            }
            changed.await;
        }
    }

    /// A place that is free, or that of whoever has had nothing under way for longest, callers' last.
    fn take(&self, number: u64, peer: IpAddr) -> Option<CancellationToken> {
        let mut each = unpoisoned(&self.each);
        if each.len() >= self.most {
            // Of an answer that is done a part may be on its way to its client, so callers' connections come last, and then those
            // who only listen. Of the others, whoever has most makes way first.
            let idle = || each.iter().filter(|(_, it)| it.under_way == it.streams);
            let mut by_peer: HashMap<IpAddr, usize> = HashMap::new();
            idle().filter(|(_, it)| !it.was_admitted).for_each(|(_, it)| *by_peer.entry(it.peer).or_default() += 1);
            let of_peer = |it: &Idleness| Reverse(if it.was_admitted { 0 } else { by_peer[&it.peer] });
            let idle = idle().min_by_key(|(_, it)| (it.streams, it.was_admitted, of_peer(it), it.since));
            let idle = *idle?.0;
            each.remove(&idle)?.ended.cancel();
        }
        let ended = CancellationToken::new();
        let new = Idleness {
            under_way: 0,
            streams: 0,
            since: Instant::now(),
            was_admitted: false,
            peer,
            ended: ended.clone(),
        };
        each.insert(number, new);
        Some(ended)
    }
}

/// Answers until `stop` is there; what is left are connections with requests under way.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Option<Tls>,
    routes: Router,
    options: &HttpOptions,
    metrics: &Metrics,
    stop: impl Future<Output = ()> + Send,
) -> GracefulShutdown {
    // HTTP/1.1 alone: telling versions apart would wait for ever for a client that sends nothing.
    let mut server = auto::Builder::new(TokioExecutor::new()).http1_only();
    server.http1().timer(TokioTimer::new()).header_read_timeout(options.headers_within).max_buf_size(HEADER_BYTES);
    let open = Arc::new(Open { most: options.connections.max(1), each: Mutex::default(), changed: Notify::new() });
    let watched = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection can't be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let (connection, ended) = tokio::select! {
            place = open.place(number, peer.ip()) => place,
            () = &mut stop => break,
        };
        let counted = metrics.connection();
        let service = TowerToHyperService::new(AddExtension::new(routes.clone(), connection));
        let stream = Box::pin(impatient(stream, options.taken_within));
        let acceptor = tls.as_ref().map(Tls::acceptor);
        let (server, watcher, within) = (server.clone(), watched.watcher(), options.headers_within);
        let open = Arc::clone(&open);
        tokio::spawn(async move {
            let served = async {
                let stream: Box<dyn Duplex> = match acceptor {
                    None => Box::new(stream),
                    Some(acceptor) => match tokio::time::timeout(within, acceptor.accept(stream)).await {
                        Ok(Ok(stream)) => Box::new(stream),
                        Ok(Err(error)) => return tracing::debug!(%error, "a handshake failed"),
                        Err(_) => return tracing::debug!("a handshake took too long"),
                    },
                };
                let connection = server.serve_connection(TokioIo::new(stream), service).into_owned();
                if let Err(error) = watcher.watch(connection).await {
                    tracing::debug!(%error, "a connection broke off");
                }
            };
            tokio::select! {
                () = served => {}
                () = ended.cancelled() => tracing::debug!("a connection without a request made way for another"),
            }
            unpoisoned(&open.each).remove(&number);
            open.changed.notify_one();
            drop(counted);
        });
    }
    watched
}

/// A connection, encrypted or not.
trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}

impl<Stream: AsyncRead + AsyncWrite + Unpin + Send> Duplex for Stream {}

/// The connection, which fails where the client takes nothing for that long.
fn impatient(stream: TcpStream, taken_within: Duration) -> TimeoutStream<TcpStream> {
    drop(stream.set_nodelay(true));
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(taken_within));
    stream
}

/// Ends the connections, and the streams of those that only listen.
pub(super) async fn end(open: GracefulShutdown, streams: &CancellationToken) {
    let ended = open.shutdown();
    let mut ended = std::pin::pin!(ended);
    // What was answered last is on its way.
    if tokio::time::timeout(LAST, &mut ended).await.is_err() {
        streams.cancel();
        drop(tokio::time::timeout(LAST, ended).await);
    }
}
