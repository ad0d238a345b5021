//! Connections: how many, how slow, and how they end.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How long a client may take to send its headers, and how long a connection may wait for the next request.
const HEADERS_WITHIN: Duration = Duration::from_secs(30);

/// Bytes of headers, all together.
const HEADER_BYTES: usize = 32 << 10;

/// Requests at a time on one connection, where the protocol has several.
const STREAMS: u32 = 64;

/// How long accepting waits after it failed, as when there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// How long connections may take to end once they are told to.
const LAST: Duration = Duration::from_secs(1);

/// Answers until `stop` is there; what is left are connections with requests under way.
pub(super) async fn accept(
    listener: TcpListener,
    routes: Router,
    most: usize,
    stop: impl Future<Output = ()> + Send,
) -> GracefulShutdown {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN).max_buf_size(HEADER_BYTES);
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(HEADER_BYTES).unwrap_or(u32::MAX))
        .keep_alive_interval(HEADERS_WITHIN);
    let places = Arc::new(Semaphore::new(most.max(1)));
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => return open,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection can't be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        drop(stream.set_nodelay(true));
        let service = TowerToHyperService::new(routes.clone());
        let connection = open.watch(server.serve_connection(TokioIo::new(stream), service).into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
            drop(place);
        });
    }
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
