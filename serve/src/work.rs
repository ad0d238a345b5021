//! Work that keeps a processor busy for milliseconds.

use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tracing::Span;

use crate::error::ServeError;

/// As much at a time as there are processors: more would only make all of it late.
static PROCESSORS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(available_parallelism().map_or(1, usize::from))));

/// Does it beside what answers the network, in the order in which it came.
///
/// # Errors
/// [`ServeError::Interrupted`] where it panics.
pub(crate) async fn work_out<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ServeError> {
    let place = Arc::clone(&PROCESSORS).acquire_owned().await;
    let span = Span::current();
    let work = move || {
        let _place = place;
        span.in_scope(work)
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| ServeError::Interrupted)
}
