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

use super::HttpOptions;
use crate::metrics::Metrics;

/// Bytes of headers, all together.
const HEADER_BYTES: usize = 32 << 10;

/// How long accepting waits after it failed, as when there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// How long connections may take to end once they are told to.
const LAST: Duration = Duration::from_secs(1);

/// Answers until `stop` is there; what is left are connections with requests under way.
pub(super) async fn accept(
    listener: TcpListener,
    routes: Router,
    options: &HttpOptions,
    metrics: &Metrics,
    stop: impl Future<Output = ()> + Send,
) -> GracefulShutdown {
    // HTTP/1.1 alone: telling versions apart would wait for ever for a client that sends nothing.
    let mut server = auto::Builder::new(TokioExecutor::new()).http1_only();
    server.http1().timer(TokioTimer::new()).header_read_timeout(options.headers_within).max_buf_size(HEADER_BYTES);
    let places = Arc::new(Semaphore::new(options.connections.max(1)));
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
        let counted = metrics.connection();
        let service = TowerToHyperService::new(routes.clone());
        let connection = open.watch(server.serve_connection(TokioIo::new(stream), service).into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
            drop((place, counted));
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
